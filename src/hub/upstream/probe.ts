/** A look at a server: what it is, what it offers, and what is wrong with it. Nothing is kept of it. */
import type { Tool } from '@modelcontextprotocol/client';
import { type HubConnectionProbed, probeBounds } from '../../contract/hub-connect-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { asVpError, vpError } from '../../errors/vp-error.ts';
import type { CachedList } from './cached-list.ts';
import type { ConnectedServer } from './connected-server.ts';

const boundMs = 10_000;

type Learnt = { -readonly [N in keyof HubConnectionProbed]: HubConnectionProbed[N] };

function unknown(): Learnt {
  return {
    server: null,
    protocol_version: null,
    instructions: null,
    tools: [],
    tools_count: 0,
    resources_count: 0,
    prompts_count: 0,
    warning: null,
    duration_ms: 0,
    problem: null,
  };
}

/** Looks for at most 10 s, then closes it. What was learnt until something went wrong is told too. */
export async function probeOf(server: ConnectedServer, clock: Clock): Promise<HubConnectionProbed> {
  const began = clock.monotonicMs();
  const learnt = unknown();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const timeout = { connection: server.connection.name, timeout_s: boundMs / 1000 };
  const cancel = clock.after(boundMs, () => late.reject(vpError('UPSTREAM_TIMED_OUT', timeout)));
  const looking = look(server, learnt);
  looking.catch(() => {});
  try {
    await Promise.race([looking, late.promise]);
  } catch (error) {
    const { code, message, cure } = asVpError(error);
    learnt.problem = { code, message, cure };
  } finally {
    cancel();
    void server.close().catch(() => {});
  }
  return { ...learnt, duration_ms: Math.round(clock.monotonicMs() - began) };
}

async function look(server: ConnectedServer, learnt: Learnt): Promise<void> {
  const about = await server.about();
  learnt.server = about.server ? { name: cut(about.server.name), version: cut(about.server.version) } : null;
  learnt.protocol_version = about.revision ?? null;
  learnt.instructions = about.instructions === undefined ? null : cut(about.instructions);
  const { lists } = server;
  const tools = await itemsOf(lists.tools);
  learnt.tools_count = tools.length;
  learnt.tools = tools.slice(0, probeBounds.tools).map(shown);
  learnt.warning = lists.tools.known.warning ?? null;
  learnt.resources_count = (await itemsOf(lists.resources)).length;
  learnt.prompts_count = (await itemsOf(lists.prompts)).length;
}

async function itemsOf<T>(list: CachedList<T>): Promise<readonly T[]> {
  const { items, problem } = await list.get(boundMs);
  if (problem) throw problem;
  return items ?? [];
}

function cut(text: string): string {
  return text.length <= probeBounds.text ? text : `${text.slice(0, probeBounds.text - 1)}…`;
}

function shown({ name, title, description, annotations }: Tool): HubConnectionProbed['tools'][number] {
  const hints = Object.entries(annotations ?? {}).filter(
    (hint): hint is [string, boolean] => typeof hint[1] === 'boolean',
  );
  return {
    name: cut(name),
    title: cut(title ?? annotations?.title ?? '') || null,
    description: description === undefined ? null : cut(description),
    annotations: annotations ? Object.fromEntries(hints) : null,
  };
}
