import { EventEmitter } from 'node:events';
import t from 'tap';
import { heedingOutput, watchOutput } from '../../src/environment/output.ts';
import { memoryEnvironment } from './memory-environment.ts';

function watched() {
  const [stdout, stderr] = [new EventEmitter(), new EventEmitter()];
  const output = watchOutput(stdout, stderr);
  const memory = memoryEnvironment();
  const environment = heedingOutput(memory.environment, output);
  const heard: string[] = [];
  const stop = environment.onInterrupt((signal) => heard.push(signal));
  const fail = (stream: EventEmitter, code: string) => stream.emit('error', Object.assign(new Error(code), { code }));
  return { ...memory, stdout, stderr, output, heard, stop, fail };
}

t.test('a reader who leaves is an interrupt, once', async (t) => {
  for (const name of ['stdout', 'stderr'] as const) {
    const all = watched();
    all.fail(all[name], 'EPIPE');
    all.fail(all.stdout, 'EPIPE');
    all.fail(all.stderr, 'ERR_STREAM_DESTROYED');
    t.same(all.heard, ['SIGPIPE']);
    t.equal(all.output.left, true);
    t.equal(all.output.fault, undefined);
  }
});

t.test('a full disk behind standard output is one too, and known as a fault', async (t) => {
  const { output, heard, fail, stdout } = watched();
  fail(stdout, 'ENOSPC');
  fail(stdout, 'ERR_STREAM_DESTROYED');
  t.same(heard, ['SIGPIPE']);
  t.match(output, { left: false, fault: { code: 'ENOSPC' } });
});

t.test('a log that cannot be written ends nothing', async (t) => {
  const { output, heard, fail, stderr } = watched();
  fail(stderr, 'ENOSPC');
  t.same(heard, []);
  t.match(output, { left: false, fault: undefined });
});

t.test('signals are heard as before, and who stopped listening hears nothing', async (t) => {
  const { heard, interrupt, stop, fail, stdout, listeners } = watched();
  interrupt('SIGTERM');
  t.same(heard, ['SIGTERM']);
  stop();
  fail(stdout, 'EPIPE');
  t.same(heard, ['SIGTERM']);
  t.equal(listeners.size, 0);
});
