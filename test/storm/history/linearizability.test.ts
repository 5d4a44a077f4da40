/** The checker against every order of small histories, and on histories that are long. */
import fc from 'fast-check';
import t from 'tap';
import { checkLinearizability, type Operation, type SequentialModel } from './linearizability.ts';

/** A register that is written and read; `forget` may or may not have emptied it when nobody looks. */
type RegisterInput = { readonly kind: 'write'; readonly value: number } | { readonly kind: 'read' | 'forget' };

const register: SequentialModel<number, RegisterInput, number> = {
  initial: 0,
  step(state, input, output) {
    if (input.kind === 'write') return [input.value];
    if (input.kind === 'forget') return [state, 0];
    return output === undefined || output === state ? [state] : [];
  },
  stateKey: String,
};

type RegisterOperation = Operation<RegisterInput, number>;

/** Tries every order of every subset of the operations that must include those with a response. */
function hasSomeOrder(remaining: readonly RegisterOperation[], state = register.initial): boolean {
  const firstResponseMs = Math.min(...remaining.map(({ returnedAtMs }) => returnedAtMs));
  if (firstResponseMs === Number.POSITIVE_INFINITY) return true;
  return remaining.some((operation) => {
    if (operation.calledAtMs > firstResponseMs) return false;
    const others = remaining.filter((other) => other !== operation);
    return register.step(state, operation.input, operation.output).some((next) => hasSomeOrder(others, next));
  });
}

const input: fc.Arbitrary<RegisterInput> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), value: fc.nat(2) }),
  fc.record({ kind: fc.constantFrom('read' as const, 'read' as const, 'forget' as const) }),
);

const operation: fc.Arbitrary<RegisterOperation> = fc
  .record({ input, value: fc.nat(2), calledAtMs: fc.nat(12), tookMs: fc.nat(6), isLost: fc.nat(5) })
  .map(({ input, value, calledAtMs, tookMs, isLost }) => ({
    input,
    output: isLost === 0 ? undefined : value,
    calledAtMs,
    returnedAtMs: isLost === 0 ? Number.POSITIVE_INFINITY : calledAtMs + tookMs,
  }));

t.test('it agrees with a search of all orders', async (t) => {
  const counts = { linearizable: 0, 'not linearizable': 0, undecided: 0 };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (history) => {
      const { verdict } = checkLinearizability(register, history);
      counts[verdict] += 1;
      return (verdict === 'linearizable') === hasSomeOrder(history);
    }),
    { numRuns: 3000 },
  );
  t.ok(counts.linearizable > 100 && counts['not linearizable'] > 100, 'both kinds were tried');
  t.equal(counts.undecided, 0);
});

const read = (value: number, calledAtMs: number, returnedAtMs: number): RegisterOperation => ({
  input: { kind: 'read' },
  output: value,
  calledAtMs,
  returnedAtMs,
});
const write = (value: number, calledAtMs: number, returnedAtMs: number): RegisterOperation => ({
  input: { kind: 'write', value },
  output: value,
  calledAtMs,
  returnedAtMs,
});

t.test('a read during a write may have either value, a read after it has the new one', async (t) => {
  const during = [write(1, 0, 10), read(0, 1, 9), read(1, 2, 8)];
  t.equal(checkLinearizability(register, during).verdict, 'linearizable');
  t.equal(checkLinearizability(register, [...during, read(0, 11, 12)]).verdict, 'not linearizable');
});

t.test('a value that was read stays, also of a write without a response', async (t) => {
  const lost: RegisterOperation = { ...write(1, 0, Number.POSITIVE_INFINITY), output: undefined };
  t.equal(checkLinearizability(register, [lost, read(0, 1, 2), read(1, 3, 4)]).verdict, 'linearizable');
  const conflict = [lost, read(1, 1, 2), read(0, 3, 4)];
  const result = checkLinearizability(register, conflict);
  t.equal(result.verdict, 'not linearizable');
  t.same(result.order, [lost, conflict[1]], 'as far as an order was possible');
  t.same(result.conflict, [conflict[2]], 'and what could not be next');
});

t.test('a long history of many clients is decided quickly', async (t) => {
  const history = Array.from({ length: 4000 }, (_, index) => {
    const atMs = Math.floor(index / 2) * 10;
    return index % 2 === 0 ? write(index, atMs, atMs + 35) : read(index - 1, atMs + 20, atMs + 45);
  });
  const { configurations, verdict } = checkLinearizability(register, history);
  t.not(verdict, 'undecided');
  t.ok(configurations < 400_000, `${configurations} configurations`);
});

t.test('a search that grows without end is given up, and not called good', async (t) => {
  const lost = Array.from({ length: 30 }, (_, index) => ({
    ...write(index + 10, 0, Number.POSITIVE_INFINITY),
    output: undefined,
  }));
  t.equal(checkLinearizability(register, [...lost, read(5, 1, 2)], 1000).verdict, 'undecided');
});
