/**
 * Tools of agents: `vp serve`, `vp executor`, `vp router` and the target are a process each. A call through the router
 * stands beside the same call to the executor; a run that an agent asks for and waits for, beside one over the API.
 */

import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { addInstance, idAt, runScenario, startExecutor, startPlane } from './plane.ts';
import { serve } from './processes.ts';
import { type Row, withMaxRatio } from './row.ts';

const instance = 'bench';

/** Calls one tool and gives the data of its answer. Throws unless it did what it should. */
async function callTool(url: string, token: string, name: string, input: object): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
  const text = await answer.text();
  const { result } = JSON.parse(text.match(/^data: ?(.*)$/m)?.[1] ?? text);
  if (!result || result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
  return result.structuredContent;
}

/** A run by two tools: asked for, and waited for. */
async function runByTools(url: string, token: string): Promise<void> {
  const { run_id } = await callTool(url, token, 'author__request_run', { scenario_id: idAt(0) });
  const { result } = await callTool(url, token, 'author__get_run_status', { run_id });
  if (result !== 'passed') throw new Error(`run ${run_id} ended ${result}`);
}

/** Milliseconds of a call and of a run. */
export async function router(context: BenchContext): Promise<Row[]> {
  const plane = await startPlane(context);
  const key = await addInstance(plane, instance);
  const executor = await startExecutor(context, plane, key, context.fresh('executor'));
  const address = `${instance}=${executor.startInfo.url}`;
  const routing = await serve(
    context.vp('router', '--json', '--port', '0', '--executor', address),
    context.fresh('router-log'),
  );
  try {
    const { token } = await plane.client.agentTokens.create(instance, { role: 'test' });
    return await measured(context, routing.startInfo.url, `${executor.startInfo.url}/mcp`, token, () =>
      runScenario(plane, instance, idAt(0)),
    );
  } finally {
    await routing.stop();
    await executor.stop();
    await plane.service.stop();
  }
}

async function measured(
  context: BenchContext,
  through: string,
  direct: string,
  token: string,
  run: () => Promise<void>,
): Promise<Row[]> {
  const listing = (url: string) => series(() => timed(() => callTool(url, token, 'author__list_scenarios', {})));
  const [routed, straight] = [listing(through), listing(direct)];
  await inTurns(context.quick ? 100 : 400, [routed, straight], 20);
  const byTools = series(() => timed(() => runByTools(through, token)));
  const byApi = series(() => timed(run));
  await inTurns(context.quick ? 20 : 100, [byTools, byApi], 3);
  const call: Row = {
    measured: 'tool call through `vp router` and `vp executor`',
    value: median(routed.samples),
    unit: 'ms',
    floor: { what: 'the executor directly', value: median(straight.samples) },
  };
  const verdict: Row = {
    measured: '`author__request_run` to verdict',
    value: median(byTools.samples),
    unit: 'ms',
    floor: { what: 'a run over the API', value: median(byApi.samples) },
  };
  return [withMaxRatio(call, 2), verdict];
}
