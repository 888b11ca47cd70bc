/** A file that is no policy for this reader; `reason` is the same word in all languages. */
export class PolicyError extends Error {
  constructor(reason, message) {
    super(message);
    this.name = "PolicyError";
    this.reason = reason;
  }
}

/** Refuse a policy whose content is inconsistent. */
export function require(holds, otherwise) {
  if (!holds) throw new PolicyError("bad-meaning", otherwise);
}

/** Refuse bytes that are not in the layout of a policy. */
export function requireLayout(holds, otherwise) {
  if (!holds) throw new PolicyError("bad-structure", otherwise);
}

/** Refuse arguments for which there is no answer. */
export function requireArguments(holds, otherwise) {
  if (!holds) throw new RangeError(otherwise);
}
