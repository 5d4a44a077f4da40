import { holderText } from '../../containers/port-holders.ts';
import { type Check, fine, problem } from './check.ts';
import type { PreflightContext } from './context.ts';

/** The ports of executors on 127.0.0.1, one each. */
export const executorPorts = { first: 8765, last: 8790 } as const;

/** The first free port for another executor; or who holds them all. */
export type ExecutorPort = { readonly port: number } | { readonly holders: readonly string[] };

/** Asks from the first port on, until one is free. A port that the instance's own executor holds already is its port. */
export async function executorPortFor(
  { holderOf }: Pick<PreflightContext, 'holderOf'>,
  instance: string | undefined,
): Promise<ExecutorPort> {
  const holders = new Map<string, number[]>();
  for (let port: number = executorPorts.first; port <= executorPorts.last; port += 1) {
    const holder = await holderOf(port);
    const isOwn = instance !== undefined && holder?.container?.project === `platform-inst-${instance}`;
    if (!holder || isOwn) return { port };
    const text = holderText(holder);
    holders.set(text, [...(holders.get(text) ?? []), port]);
  }
  return { holders: [...holders].map(([text, ports]) => `${ports.join(', ')}: ${text}`) };
}

/** One of the executors' ports must be free. */
export const executorPortCheck: Check<Pick<PreflightContext, 'holderOf' | 'instance'>> = {
  id: 'executor_port',
  title: `a port for the executor, ${executorPorts.first} to ${executorPorts.last}`,
  async look(context) {
    const found = await executorPortFor(context, context.instance);
    if ('port' in found) return fine(`${found.port} can be had`);
    const { first, last } = executorPorts;
    return {
      facts: [],
      problems: [problem('EXECUTOR_PORTS_TAKEN', { first, last, holders: found.holders.join('; ') })],
    };
  },
};
