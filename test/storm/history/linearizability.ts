/**
 * Whether a history of concurrent operations could have been produced by one sequential machine: the search of Wing and Gong
 * with Lowe's memory of visited configurations, as in Porcupine. An operation takes effect at one moment between its call and
 * its response; one without a response, at any moment since its call, or never.
 *
 * A model may have hidden steps: `step` gives every state in which the machine may be after the operation.
 */

export type Operation<Input, Output> = {
  readonly input: Input;
  /** Undefined where no response arrived. */
  readonly output: Output | undefined;
  readonly calledAtMs: number;
  /** Infinity where no response arrived. */
  readonly returnedAtMs: number;
};

export type SequentialModel<State, Input, Output> = {
  readonly initial: State;
  /** Empty if the machine cannot give this output in this state. */
  step(state: State, input: Input, output: Output | undefined): readonly State[];
  /** Equal for equal states only. */
  stateKey(state: State): string;
};

export type LinearizabilityResult<Input, Output> = {
  /** Undecided: the search was given up after `maxConfigurations`. */
  readonly verdict: 'linearizable' | 'not linearizable' | 'undecided';
  readonly configurations: number;
  /** When it is not linearizable: the longest order that was possible, and the operations of which one had to be next. */
  readonly order: readonly Operation<Input, Output>[];
  readonly conflict: readonly Operation<Input, Output>[];
};

/** A call or a response in the order of time, in a doubly linked list from which linearized operations are taken. */
type Entry = { readonly index: number; readonly isCall: boolean; previous: Entry; next: Entry; response?: Entry };

type Choice<State> = {
  readonly entry: Entry;
  readonly before: State;
  readonly alternatives: State[];
};

const defaultMaxConfigurations = 2_000_000;

/** The list's head, which is its end too. A response at the same moment as a call comes after it: both orders are possible. */
function linkEntries(operations: readonly Operation<unknown, unknown>[]): Entry {
  const times = operations.flatMap(({ calledAtMs, returnedAtMs }, index) => [
    { index, isCall: true, atMs: calledAtMs },
    { index, isCall: false, atMs: returnedAtMs },
  ]);
  times.sort((a, b) => (a.atMs === b.atMs ? Number(b.isCall) - Number(a.isCall) : a.atMs < b.atMs ? -1 : 1));
  const head = { index: -1, isCall: false } as Entry;
  head.previous = head;
  head.next = head;
  const calls = new Map<number, Entry>();
  for (const { index, isCall } of times) {
    const entry: Entry = { index, isCall, previous: head.previous, next: head };
    head.previous.next = entry;
    head.previous = entry;
    if (isCall) calls.set(index, entry);
    else {
      const call = calls.get(index);
      if (call) call.response = entry;
    }
  }
  return head;
}

function unlink(entry: Entry | undefined): void {
  if (!entry) return;
  entry.previous.next = entry.next;
  entry.next.previous = entry.previous;
}

function relink(entry: Entry | undefined): void {
  if (!entry) return;
  entry.previous.next = entry;
  entry.next.previous = entry;
}

/**
 * Names the set of linearized operations: `maxIndex` is the largest of them (indexes are in the order of calls), and all
 * smaller ones are linearized but those that the list still has.
 */
function formatLinearized(head: Entry, maxIndex: number): string {
  let text = String(maxIndex);
  for (let entry = head.next; entry !== head; entry = entry.next) {
    if (!entry.isCall) continue;
    if (entry.index > maxIndex) break;
    text += `,${entry.index}`;
  }
  return text;
}

export function checkLinearizability<State, Input, Output>(
  model: SequentialModel<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
  maxConfigurations = defaultMaxConfigurations,
): LinearizabilityResult<Input, Output> {
  const operations = [...history].sort((a, b) => a.calledAtMs - b.calledAtMs);
  const required = operations.filter(({ returnedAtMs }) => returnedAtMs !== Number.POSITIVE_INFINITY).length;
  const head = linkEntries(operations);
  const visited = new Set<string>();
  const chosen: (Choice<State> & { maxIndex: number })[] = [];
  let state = model.initial;
  let linearized = 0;
  let longest: number[] = [];
  let longestCount = -1;

  const isRequired = (index: number): boolean => operations[index]?.returnedAtMs !== Number.POSITIVE_INFINITY;

  /** Takes the operation with the first of the states that is a new configuration. */
  function choose(entry: Entry, before: State, states: State[]): boolean {
    unlink(entry);
    unlink(entry.response);
    const maxIndex = Math.max(entry.index, chosen.at(-1)?.maxIndex ?? -1);
    const taken = formatLinearized(head, maxIndex);
    for (let next = states.shift(); next !== undefined; next = states.shift()) {
      const key = `${taken}|${model.stateKey(next)}`;
      if (visited.has(key)) continue;
      visited.add(key);
      state = next;
      chosen.push({ entry, before, alternatives: states, maxIndex });
      if (isRequired(entry.index)) linearized += 1;
      return true;
    }
    relink(entry.response);
    relink(entry);
    return false;
  }

  function remember(): void {
    if (linearized <= longestCount) return;
    longestCount = linearized;
    longest = chosen.map(({ entry }) => entry.index);
  }

  let entry = head.next;
  while (linearized < required) {
    if (visited.size > maxConfigurations)
      return { verdict: 'undecided', configurations: visited.size, order: [], conflict: [] };
    if (entry !== head && entry.isCall) {
      const operation = operations[entry.index];
      if (!operation) throw new Error('an entry without an operation');
      const states = [...model.step(state, operation.input, operation.output)];
      entry = choose(entry, state, states) ? head.next : entry.next;
      continue;
    }
    // A response whose operation is not linearized: an earlier choice was wrong.
    remember();
    for (;;) {
      const last = chosen.pop();
      if (!last) {
        const order = longest.flatMap((index) => operations[index] ?? []);
        const conflict = findConflict(operations, longest);
        return { verdict: 'not linearizable', configurations: visited.size, order, conflict };
      }
      if (isRequired(last.entry.index)) linearized -= 1;
      relink(last.entry.response);
      relink(last.entry);
      state = last.before;
      if (choose(last.entry, last.before, last.alternatives)) {
        entry = head.next;
        break;
      }
      entry = last.entry.next;
      if (entry !== head && entry.isCall) break;
    }
  }
  return { verdict: 'linearizable', configurations: visited.size, order: [], conflict: [] };
}

/** The operations that had been called before the first response that could not be explained. */
function findConflict<Input, Output>(
  operations: readonly Operation<Input, Output>[],
  order: readonly number[],
): Operation<Input, Output>[] {
  const taken = new Set(order);
  const remaining = operations.filter((_, index) => !taken.has(index));
  const deadlineMs = Math.min(...remaining.map(({ returnedAtMs }) => returnedAtMs));
  return remaining.filter(({ calledAtMs }) => calledAtMs <= deadlineMs);
}
