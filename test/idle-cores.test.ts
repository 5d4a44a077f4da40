import t from 'tap';
import { createIdleCoresReader } from './idle-cores.ts';

t.test('it is what each core was idle of its time since the last reading', async (t) => {
  const readings = [
    [
      { idle: 100, total: 1000 },
      { idle: 500, total: 1000 },
    ],
    [
      { idle: 200, total: 2000 },
      { idle: 1000, total: 2000 },
    ],
    [
      { idle: 200, total: 3000 },
      { idle: 2000, total: 3000 },
    ],
  ];
  const readIdleCores = createIdleCoresReader(() => readings.shift() ?? [], 2);
  t.equal(readIdleCores(), 0.1 + 0.5);
  t.equal(readIdleCores(), 1);
});

t.test('nothing counts as idle where not all cores may be used, or none has been read', async (t) => {
  const idleMachine = [0, 1000].map((ms) => Array.from({ length: 8 }, () => ({ idle: ms, total: ms })));
  t.equal(createIdleCoresReader(() => idleMachine.shift() ?? [], 2)(), 0);
  t.equal(createIdleCoresReader(() => [], 2)(), 0);
});

t.test('on this machine it is never more than the cores', async (t) => {
  const idleCores = createIdleCoresReader()();
  t.ok(idleCores >= 0 && idleCores <= 1024, String(idleCores));
});
