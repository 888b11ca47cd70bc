/**
 * Opens policies that tailc compiled, and answers from them: {@link dev.tailc.runtime.Policy#open}
 * checks a file once, look-ups then allocate nothing and lock nothing.
 *
 * <p>Units are at the end of names: {@code Us} microseconds, {@code Ns} nanoseconds, {@code Ppm}
 * millionths, {@code Mrps} thousandths of a request per second, {@code Khz} kilohertz, {@code Mw}
 * milliwatts, {@code Mj} millijoules, {@code Udollars} millionths of a dollar.
 */
package dev.tailc.runtime;
