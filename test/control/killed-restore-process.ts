/** Restores a backup and kills itself before the step with the given number. */
import { restoreControl } from '../../src/control/restore.ts';
import { systemClock } from '../../src/environment/clock.ts';

const [backup = '', folder = '', killAt = ''] = process.argv.slice(2);
let steps = 0;
await restoreControl({
  backup,
  folder,
  clock: systemClock,
  pid: process.pid,
  onStep(step) {
    steps += 1;
    process.stdout.write(`${step}\n`);
    if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  },
});
