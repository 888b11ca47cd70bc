/** Open a policy from the bytes of its file. */

import { BudgetTable } from "./budget_table.js";
import { bytesOf } from "./bytes.js";
import { Controller } from "./controller.js";
import { PolicyError, require, requireLayout } from "./errors.js";
import { readFlat } from "./flat.js";
import { readJson } from "./json.js";
import { Ladder } from "./ladder.js";
import { Plan } from "./plan.js";
import { Shares } from "./shares.js";
import { TailTable } from "./tail_table.js";

const MOST_BYTES = 64 * 1024 * 1024;
const OPEN_BRACE = 0x7b;
const OTHERS = {
  "tail-table": TailTable,
  shares: Shares,
  plan: Plan,
  "budget-table": BudgetTable,
};

/** Check the bytes of a policy file, in either encoding, and open its forms. */
export function openPolicy(bytes, options = {}) {
  const data = bytesOf(bytes, "openPolicy");
  requireLayout(data.length <= MOST_BYTES, "the file is larger than the limit for a policy");
  const { head, forms } = isJson(data) ? readJson(data) : readFlat(data);
  const policy = new Policy(head, forms);
  checkOptions(head, options);
  return policy;
}

class Policy {
  #ladders = new Map();
  #other = null;
  #formName = "ladder";

  constructor(head, forms) {
    Object.assign(this, head);
    // Look-ups for which the policy was not compiled.
    this.outside = 0;
    const { others, controller } = split(forms);
    this.controller = controller;
    if (others.length > 0 && others.every((form) => form.form === "ladder")) {
      requireActsOn(controller, "climb-ages");
      this.#openLadders(others);
    } else {
      this.#openOther(others);
    }
  }

  /** The ladder for a request class, or the one for all classes. */
  ladder(requestClass = null) {
    this.#requireForm("ladder");
    const found = this.#ladders.get(requestClass) ?? this.#ladders.get(null);
    if (found === undefined) {
      throw new PolicyError("unknown-class", `no ladder for class \`${requestClass}\``);
    }
    return found;
  }

  get ladders() {
    this.#requireForm("ladder");
    return new Map(this.#ladders);
  }

  get tailTable() {
    return this.#only("tail-table");
  }

  get shares() {
    return this.#only("shares");
  }

  get plan() {
    return this.#only("plan");
  }

  get budgetTable() {
    return this.#only("budget-table");
  }

  #only(name) {
    this.#requireForm(name);
    return this.#other;
  }

  #requireForm(name) {
    if (this.#formName !== name) {
      throw new PolicyError("other-form", `the policy has form ${this.#formName}, not ${name}`);
    }
  }

  #openLadders(forms) {
    for (const form of forms) {
      const ladder = new Ladder(form, this.controller, this);
      require(
        !this.#ladders.has(ladder.requestClass),
        "two ladders have the same `request_class`",
      );
      this.#ladders.set(ladder.requestClass, ladder);
    }
  }

  #openOther(forms) {
    require(
      forms.length === 1 && forms[0].form !== "ladder",
      "`forms` must have exactly one of ladders, a tail table, shares, a plan and a budget table",
    );
    const [form] = forms;
    requireActsOn(this.controller, form.form === "tail-table" ? "latency-bound" : null);
    this.#formName = form.form;
    this.#other = new OTHERS[form.form](form, this.controller, this);
  }
}

function isJson(data) {
  const identifier = String.fromCharCode(...data.subarray(4, 8));
  return data[0] === OPEN_BRACE && identifier !== "TLC1";
}

/** The forms without the controller, which is the last one. */
function split(forms) {
  const isController = (form) => form.form === "controller";
  require(
    !forms.slice(0, -1).some(isController),
    "`forms` must have at most one controller, as the last form",
  );
  const last = forms.at(-1);
  if (last === undefined || !isController(last)) return { others: forms, controller: null };
  return { others: forms.slice(0, -1), controller: new Controller(last) };
}

function requireActsOn(controller, actuator) {
  require(
    controller === null || controller.actsOn === actuator,
    "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table",
  );
}

function checkOptions({ name, generation }, { service, generationInUse }) {
  if (service !== undefined && service !== name) {
    throw new PolicyError("other-service", `the policy is for \`${name}\`, not for \`${service}\``);
  }
  if (generationInUse !== undefined && generation < generationInUse) {
    throw new PolicyError(
      "older-generation",
      `generation ${generation} is older than generation ${generationInUse}, which is in use`,
    );
  }
}
