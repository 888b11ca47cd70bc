/** Look up tailc policies: check the bytes once, then decide in whole numbers. */
export { PolicyError } from "./errors.js";
export { openPolicy } from "./policy.js";
export { openPlanState, planStateJson } from "./plan_state.js";
