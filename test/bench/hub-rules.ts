/**
 * What a policy adds to a call: 100 rules that concern other tools and callers, 100 that all concern this one, and budgets. Where others use
 * the machine, the processor time of `vp serve` says more than the time that passes.
 */
import type { TestBrowser } from '../server/test-browser.ts';
import type { BenchContext } from './bench-context.ts';
import { demanded, hubWith, ownerAt } from './hub.ts';
import { closeConnections, rawCall } from './hub-raw-call.ts';
import { inTurns, median, type Series, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import { type Row, under } from './row.ts';

const rulesOfEachKind = 50;
const maxAddedMs = 0.1;
const callsPerBatch = 100;
const farAway = 1_000_000_000;

/** Budgets that no call of the bench comes near. */
const budgetPolicy = {
  limits: [],
  budgets: ['person', 'token', 'connection', 'hub'].flatMap((per) =>
    ['day', 'month'].map((period) => ({ per, period, calls: farAway, bytes: farAway * 1000 })),
  ),
};

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

async function setPolicy(owner: TestBrowser, slug: string, document: object): Promise<void> {
  const accepted = { accept_unknown_tools: true, accept_unknown_callers: true };
  await demanded(await owner.ask('PUT', `/api/v1/hubs/${slug}/policy`, { document, if_revision: 1, ...accepted }));
}

/** Six rows. The four hubs are of one control plane, and their calls take turns. */
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
    const createHub = async (slug: string, document?: object): Promise<MeasuredHub> => {
      const token = await hubWith(owner, slug, [upstream.startInfo.url]);
      if (document) await setPolicy(owner, slug, document);
      return measureHub(plane, rawCall({ url: `${plane.startInfo.url}/agent/mcp`, name: 'c0__echo', token }));
    };
    const without = await createHub('without');
    const hubs = {
      '100 rules for others': await createHub('other', createPolicy(false)),
      '100 rules for it': await createHub('matching', createPolicy(true)),
      '8 budgets': await createHub('budgets', budgetPolicy),
    };
    const all = [without, ...Object.values(hubs)];
    const takeTurns = (part: keyof MeasuredHub, rounds: number, warmUps: number): Promise<void> =>
      inTurns(
        rounds,
        all.map((hub) => hub[part]),
        warmUps,
      );
    await takeTurns('duration', context.quick ? 500 : 4000, context.quick ? 300 : 3000);
    await takeTurns('processor', context.quick ? 5 : 25, 1);
    return Object.entries(hubs).flatMap(([what, hub]) => toRows(what, hub, without));
  } finally {
    await Promise.all([...started.map((service) => service.stop()), closeConnections()]);
  }
}

/** Milliseconds of a call, and those of the processor for one of a batch. */
type MeasuredHub = { readonly duration: Series<number>; readonly processor: Series<number> };

function measureHub(plane: Service, call: () => Promise<string>): MeasuredHub {
  const measureDuration = async (): Promise<number> => {
    let text = '';
    const ms = await timed(async () => {
      text = await call();
    });
    if (!text.includes('"hello"')) throw new Error(text.slice(0, 300));
    return ms;
  };
  const measureProcessor = async (): Promise<number> => {
    const before = plane.processorMs?.() ?? 0;
    for (let count = 0; count < callsPerBatch; count += 1) await call();
    return ((plane.processorMs?.() ?? 0) - before) / callsPerBatch;
  };
  return { duration: series(measureDuration), processor: series(measureProcessor) };
}

function toRows(what: string, hub: MeasuredHub, without: MeasuredHub): Row[] {
  const value = median(hub.duration.samples) - median(without.duration.samples);
  return [
    under({ measured: `added to a call by ${what}, p50`, value, unit: 'ms' }, maxAddedMs),
    {
      measured: `processor time of a call with ${what}`,
      value: median(hub.processor.samples),
      unit: 'ms',
      floor: { what: 'without', value: median(without.processor.samples) },
    },
  ];
}
