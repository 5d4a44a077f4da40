/** Channels of a server: bounded in number, closed when idle, never while a call is in flight. */
import t from 'tap';
import type { Channel } from '../../../src/hub/upstream/channel.ts';
import { ChannelPool, mainChannelKey } from '../../../src/hub/upstream/channel-pool.ts';

type FakeChannel = { isIdle: boolean; isClosed: boolean; close(): Promise<void>; retire(): void };

function createPool(maxChannels: number) {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const pool = new ChannelPool({ connection: 'files', maxChannels, clock });
  const opened: FakeChannel[] = [];
  const open = async (key: string): Promise<FakeChannel> => {
    const create = async (): Promise<Channel> => {
      const channel: FakeChannel = {
        isIdle: true,
        isClosed: false,
        close: async () => {
          channel.isClosed = true;
        },
        retire: () => {
          channel.isClosed = channel.isIdle;
        },
      };
      opened.push(channel);
      return channel as Partial<Channel> as Channel;
    };
    return (await pool.get(key, create)) as Partial<Channel> as FakeChannel;
  };
  return { pool, clock, open, opened };
}

t.test('a key has one channel, and another one after a failure', async (t) => {
  const { pool, open, opened } = createPool(4);
  t.equal(await open('ann'), await open('ann'));
  t.equal(opened.length, 1);
  const failed = pool.get('bob', async () => {
    throw new Error('down');
  });
  await t.rejects(failed, { message: 'down' });
  await open('bob');
  t.equal(opened.length, 2);
});

t.test('a full pool closes the channel that is unused for longest, but none with calls', async (t) => {
  const { pool, open } = createPool(3);
  const main = await open(mainChannelKey);
  const ann = await open('ann');
  const bob = await open('bob');
  await open('ann');
  await open('cleo');
  t.same([main.isClosed, ann.isClosed, bob.isClosed], [false, false, true]);
  ann.isIdle = false;
  const cleo = await open('cleo');
  cleo.isIdle = false;
  const refused = pool.get('dan', async () => {
    throw new Error('not opened');
  });
  await t.rejects(refused, { code: 'UPSTREAM_FULL' });
});

t.test('channels of people are closed when they are idle for a while', async (t) => {
  const { pool, clock, open } = createPool(4);
  const main = await open(mainChannelKey);
  const ann = await open('ann');
  const bob = await open('bob');
  bob.isIdle = false;
  clock.nowMs = 16 * 60_000;
  const cleo = await open('cleo');
  pool.closeIdle();
  t.same(
    [main, ann, bob, cleo].map(({ isClosed }) => isClosed),
    [false, true, false, false],
  );
});

t.test('a retired channel gets no new calls, and ends after its last one', async (t) => {
  const { pool, open } = createPool(4);
  const ann = await open('ann');
  ann.isIdle = false;
  pool.retire(ann as Partial<Channel> as Channel);
  t.notOk(ann.isClosed);
  t.not(await open('ann'), ann);
});
