import t from 'tap';
import { describeChange, readProcessState } from './process-state.ts';

const state = readProcessState();
const withGlobal = (name: string, descriptor: PropertyDescriptor) => new Map([...state.globals, [name, descriptor]]);

t.test('a process that is as before has no change', async (t) => {
  t.equal(describeChange(state, { ...state }), undefined);
  for (const name of ['__registry', String(process.pid)])
    t.equal(describeChange(state, { ...state, globals: withGlobal(name, { value: {} }) }), undefined, name);
});

t.test('what lasts is named', async (t) => {
  const cases = [
    [{ environment: { ...state.environment, VP_LEFT: '1' } }, 'the environment variable VP_LEFT'],
    [{ globals: withGlobal('leftGlobal', { value: 1 }) }, 'the global leftGlobal'],
    [{ globals: withGlobal('fetch', { value: () => undefined }) }, 'the global fetch'],
    [{ globals: withGlobal('navigator', { value: {} }) }, 'the global navigator'],
    [{ globals: new Map([...state.globals].filter(([name]) => name !== 'fetch')) }, 'the global fetch'],
    [{ listeners: new Map([['SIGUSR2', 1]]) }, 'a listener for SIGUSR2'],
    [{ folder: '/' }, 'the working directory'],
    [{ exitCode: 3 }, 'the exit code'],
  ] as const;
  for (const [change, text] of cases) {
    t.equal(describeChange(state, { ...state, ...change }), `left the process changed: ${text}`);
  }
});
