import { EventEmitter } from 'node:events';
import t from 'tap';
import { monitorOutput, withOutputInterrupt } from '../../src/environment/output.ts';
import { memoryEnvironment } from './memory-environment.ts';

function watched() {
  const [stdout, stderr] = [new EventEmitter(), new EventEmitter()];
  const output = monitorOutput(stdout, stderr);
  const memory = memoryEnvironment();
  const environment = withOutputInterrupt(memory.environment, output);
  const signals: string[] = [];
  const stop = environment.onInterrupt((signal) => signals.push(signal));
  const fail = (stream: EventEmitter, code: string) => stream.emit('error', Object.assign(new Error(code), { code }));
  return { ...memory, stdout, stderr, output, signals, stop, fail };
}

t.test('a reader who leaves is an interrupt, once', async (t) => {
  for (const name of ['stdout', 'stderr'] as const) {
    const all = watched();
    all.fail(all[name], 'EPIPE');
    all.fail(all.stdout, 'EPIPE');
    all.fail(all.stderr, 'ERR_STREAM_DESTROYED');
    t.same(all.signals, ['SIGPIPE']);
    t.equal(all.output.isReaderGone, true);
    t.equal(all.output.writeError, undefined);
  }
});

t.test('a full disk behind standard output is an interrupt too, and reported as a write error', async (t) => {
  const { output, signals, fail, stdout } = watched();
  fail(stdout, 'ENOSPC');
  fail(stdout, 'ERR_STREAM_DESTROYED');
  t.same(signals, ['SIGPIPE']);
  t.match(output, { isReaderGone: false, writeError: { code: 'ENOSPC' } });
});

t.test('a log that cannot be written ends nothing', async (t) => {
  const { output, signals, fail, stderr } = watched();
  fail(stderr, 'ENOSPC');
  t.same(signals, []);
  t.match(output, { isReaderGone: false, writeError: undefined });
});

t.test('signals are delivered, and not after the listener was removed', async (t) => {
  const { signals, interrupt, stop, fail, stdout, listeners } = watched();
  interrupt('SIGTERM');
  t.same(signals, ['SIGTERM']);
  stop();
  fail(stdout, 'EPIPE');
  t.same(signals, ['SIGTERM']);
  t.equal(listeners.size, 0);
});
