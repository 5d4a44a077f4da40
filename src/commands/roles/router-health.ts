/** `vp router --health`: the router, and which executors a router with the same flags and the same user reaches. */
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { VpError } from '../../errors/vp-error.ts';
import { listPresences } from '../../router/presence.ts';
import { assertHealthy, buildLocalUrl } from './role-health.ts';

type RouterHealthCall = {
  readonly flags: { readonly host: string; readonly port: number };
  readonly environment: Pick<Environment, 'paths' | 'streams'>;
  readonly json: boolean;
};

/** `problem` is null while the executor answers. */
type ExecutorHealth = {
  readonly instance: string;
  readonly url: string;
  readonly state: 'answers' | 'stopped' | 'silent';
  readonly problem: string | null;
};

type KnownExecutor = { readonly instance: string; readonly url: string; readonly isStopped: boolean };

/** Flags precede presence files, as in the router itself. */
function listKnownExecutors(
  { environment: { paths } }: RouterHealthCall,
  named: ReadonlyMap<string, string>,
): readonly KnownExecutor[] {
  const ofFlags = [...named].map(([instance, url]) => ({ instance, url, isStopped: false }));
  const ofFiles = listPresences(paths)
    .filter(({ instance }) => !named.has(instance))
    .map(({ instance, url, state }) => ({ instance, url, isStopped: state === 'stopped' }));
  return [...ofFlags, ...ofFiles].toSorted((a, b) => a.instance.localeCompare(b.instance));
}

async function checkExecutor({ instance, url, isStopped }: KnownExecutor): Promise<ExecutorHealth> {
  if (isStopped) return { instance, url, state: 'stopped', problem: 'it was stopped' };
  try {
    await assertHealthy('executor', url);
    return { instance, url, state: 'answers', problem: null };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { instance, url, state: 'silent', problem: String(error.values.problem) };
  }
}

function formatHealth(url: string, executors: readonly ExecutorHealth[], pattern: string | undefined): string {
  const width = Math.max(0, ...executors.map(({ instance }) => instance.length));
  const rows = executors.map(({ instance, url: address, state, problem }) => {
    const text = state === 'silent' ? `does not answer: ${problem}` : state;
    return `  ${instance.padEnd(width)}  ${address}  ${text}`;
  });
  const others = pattern === undefined ? [] : [`  any other instance: ${pattern}`];
  const none = rows.length + others.length === 0 ? ['  no executor is known: start one with `vp executor`'] : [];
  return `${[`the router at ${url} answers; executors:`, ...rows, ...others, ...none].join('\n')}\n`;
}

/** `named` and `pattern` are the executors of the flags. Throws ROLE_UNWELL if the router does not answer; executors only inform. */
export async function checkRouterHealth(
  call: RouterHealthCall,
  named: ReadonlyMap<string, string>,
  pattern: string | undefined,
): Promise<ExitCode> {
  const url = buildLocalUrl(call.flags);
  await assertHealthy('router', url);
  const executors = await Promise.all(listKnownExecutors(call, named).map(checkExecutor));
  const { stdout } = call.environment.streams;
  stdout.write(call.json ? `${JSON.stringify({ healthy: true, executors })}\n` : formatHealth(url, executors, pattern));
  return exitCode.done;
}
