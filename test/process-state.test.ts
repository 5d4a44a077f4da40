import t from 'tap';
import { describeChange, readProcessState } from './process-state.ts';

const state = readProcessState();

t.test('a process that is as before has no change', async (t) => {
  t.equal(describeChange(state, { ...state }), undefined);
  t.equal(describeChange(state, { ...state, globals: [...state.globals, '__registry'] }), undefined);
});

t.test('what lasts is named', async (t) => {
  const cases = [
    [{ environment: { ...state.environment, VP_LEFT: '1' } }, 'the environment variable VP_LEFT'],
    [{ globals: [...state.globals, 'leftGlobal'] }, 'the global leftGlobal'],
    [{ listeners: new Map([['SIGUSR2', 1]]) }, 'a listener for SIGUSR2'],
    [{ folder: '/' }, 'the working directory'],
    [{ exitCode: 3 }, 'the exit code'],
  ] as const;
  for (const [change, text] of cases) {
    t.equal(describeChange(state, { ...state, ...change }), `left the process changed: ${text}`);
  }
});
