import { PassThrough } from 'node:stream';
import type { Environment, TextSink } from '../../src/environment/environment.ts';
import { processEnvironment } from '../../src/environment/environment.ts';

type Settings = Partial<Omit<Environment, 'streams' | 'onInterrupt'>> & {
  readonly stdout?: Partial<TextSink>;
  readonly stderr?: Partial<TextSink>;
};

/** An environment whose output is kept, without variables, and the means to interrupt it. */
export function memoryEnvironment(settings: Settings = {}) {
  const { stdout, stderr, ...rest } = settings;
  const written = { stdout: '', stderr: '' };
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const sink = (name: 'stdout' | 'stderr', more: Partial<TextSink> = {}): TextSink => ({
    write: (text) => {
      written[name] += text;
    },
    ...more,
  });
  const environment: Environment = {
    ...processEnvironment(),
    args: [],
    variables: {},
    ...rest,
    streams: { stdin: new PassThrough(), stdout: sink('stdout', stdout), stderr: sink('stderr', stderr) },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    environment,
    written,
    listeners,
    interrupt: (signal: NodeJS.Signals = 'SIGINT') => {
      for (const listener of [...listeners]) listener(signal);
    },
  };
}
