/** What 100 rules of a policy add to a call: rules that concern other tools and callers, and rules that all concern this one. */
import type { TestBrowser } from '../server/test-browser.ts';
import type { BenchContext } from './bench-context.ts';
import { demanded, hubWith, ownerAt } from './hub.ts';
import { closeConnections, rawCall } from './hub-raw-call.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import { type Row, under } from './row.ts';

const rulesOfEachKind = 50;
const maxAddedMs = 0.1;

/** 50 rules for arguments, 50 for callers. */
function createPolicy(isMatching: boolean) {
  const numbers = Array.from({ length: rulesOfEachKind }, (_, index) => index);
  return {
    limits: [],
    arguments: numbers.map((index) => ({
      tools: isMatching ? 'c0__*' : `other__tool_${index}`,
      schema: { properties: { text: { maxLength: 1000 + index } } },
    })),
    callers: numbers.map((index) => ({ people: [isMatching ? 'Ana' : `Person ${index}`], allow: ['c0__*'] })),
  };
}

async function setPolicy(owner: TestBrowser, slug: string, document: unknown): Promise<void> {
  const accepted = { accept_unknown_tools: true, accept_unknown_callers: true };
  await demanded(await owner.ask('PUT', `/api/v1/hubs/${slug}/policy`, { document, if_revision: 1, ...accepted }));
}

/** Two rows. The three hubs are of one control plane, and their calls take turns. */
export async function rules(context: BenchContext): Promise<Row[]> {
  const started: Service[] = [];
  const start = async (program: Parameters<typeof serve>[0], log: string): Promise<Service> => {
    const service = await serve(program, context.fresh(log));
    started.push(service);
    return service;
  };
  try {
    const program = context.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-upstream.ts');
    const upstream = await start({ ...program, cwd: process.cwd() }, 'upstream-log');
    const serveArgs = ['serve', '--json', '--port', '0', '--data', context.fresh('rules'), '--allow-private-upstreams'];
    const plane = await start(context.vp(...serveArgs), 'rules-log');
    const owner = await ownerAt(plane);
    const measureHub = async (slug: string, isMatching: boolean | undefined) => {
      const token = await hubWith(owner, slug, [upstream.startInfo.url]);
      if (isMatching !== undefined) await setPolicy(owner, slug, createPolicy(isMatching));
      const call = rawCall({ url: `${plane.startInfo.url}/agent/mcp`, name: 'c0__echo', token });
      return series(async () => {
        let text = '';
        const ms = await timed(async () => {
          text = await call();
        });
        if (!text.includes('"hello"')) throw new Error(text.slice(0, 300));
        return ms;
      });
    };
    const without = await measureHub('without', undefined);
    const other = await measureHub('other', false);
    const matching = await measureHub('matching', true);
    await inTurns(context.quick ? 500 : 4000, [without, other, matching], context.quick ? 300 : 3000);
    const subtract = (samples: readonly number[]): number => median(samples) - median(without.samples);
    return [
      under(
        { measured: 'added to a call by 100 rules for others', value: subtract(other.samples), unit: 'ms' },
        maxAddedMs,
      ),
      under(
        { measured: 'added to a call by 100 rules for it', value: subtract(matching.samples), unit: 'ms' },
        maxAddedMs,
      ),
    ];
  } finally {
    await Promise.all([...started.map((service) => service.stop()), closeConnections()]);
  }
}
