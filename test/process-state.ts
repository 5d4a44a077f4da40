/** What of a process the tests of a file may change and must leave as it was, where other files run behind it. */

export type ProcessState = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly exitCode: typeof process.exitCode;
  readonly globals: ReadonlyMap<string, PropertyDescriptor>;
  readonly listeners: ReadonlyMap<string, number>;
};

/** Those that decide what the process does with a signal or an error. */
const watchedEvents = /^(?:SIG[A-Z]+|uncaughtException|unhandledRejection)$/;

/** Where a package keeps what its copies share, once it is loaded: pkijs below the id of the process. */
const registryName = new RegExp(`^(?:__|${process.pid}$)`);

export function readProcessState(): ProcessState {
  const events = process.eventNames().filter((name) => typeof name === 'string' && watchedEvents.test(name));
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
    globals: new Map(Object.entries(Object.getOwnPropertyDescriptors(globalThis))),
    listeners: new Map(events.map((name) => [String(name), process.listenerCount(name)])),
  };
}

const listExcess = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] =>
  [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);

/** The product's HTTP listener puts those of @hono/node-server in their place, which extend them. */
const listenerGlobals = ['Request', 'Response'];

const isReplaced = (before: PropertyDescriptor, after: PropertyDescriptor | undefined): boolean =>
  after === undefined || after.get !== before.get || !Object.is(after.value, before.value);

function listChangedGlobals(before: ProcessState['globals'], after: ProcessState['globals']): string[] {
  const added = [...after.keys()].filter((name) => !before.has(name) && !registryName.test(name));
  const replaced = [...before].filter(([name, descriptor]) => isReplaced(descriptor, after.get(name)));
  return [...added, ...replaced.map(([name]) => name)].filter((name) => !listenerGlobals.includes(name));
}

/** Undefined where nothing is left. */
export function describeChange(before: ProcessState, after: ProcessState): string | undefined {
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  const variables = [...names].filter((name) => before.environment[name] !== after.environment[name]);
  const listeners = listExcess(before.listeners, after.listeners);
  const lasting = [
    ...variables.map((name) => `the environment variable ${name}`),
    ...listChangedGlobals(before.globals, after.globals).map((name) => `the global ${name}`),
    ...listeners.map((name) => `a listener for ${name}`),
  ];
  if (before.folder !== after.folder) lasting.push('the working directory');
  if (before.exitCode !== after.exitCode) lasting.push('the exit code');
  return lasting.length > 0 ? `left the process changed: ${lasting.join(', ')}` : undefined;
}
