/** Results as the newest revision requires them: with their type, the server's identity and how long they may be cached. */
import { type Implementation, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';

type Result = Readonly<Record<string, unknown>>;

type CacheHint = { readonly ttlMs: number; readonly cacheScope: 'private' };

/** Lists change rarely, and changes are sent as notifications. */
const listCache: CacheHint = { ttlMs: 15_000, cacheScope: 'private' };
const noCache: CacheHint = { ttlMs: 0, cacheScope: 'private' };
const cacheHints: Readonly<Record<string, CacheHint>> = {
  'server/discover': noCache,
  'tools/list': listCache,
  'prompts/list': listCache,
  'resources/list': listCache,
  'resources/templates/list': listCache,
  'resources/read': noCache,
};

export function toNewestResult(method: string, result: Result, server: Implementation): Record<string, unknown> {
  const { resultType = 'complete', _meta: meta = {} } = result;
  const hint = resultType === 'complete' && Object.hasOwn(cacheHints, method) ? cacheHints[method] : undefined;
  const visible = method === 'tools/list' ? { ...result, tools: withoutExecution(result.tools) } : result;
  return {
    ...visible,
    resultType,
    ...(hint && chooseCache(result, hint)),
    // A server that names itself in its result is not overridden.
    _meta: isObject(meta) ? { [SERVER_INFO_META_KEY]: server, ...meta } : meta,
  };
}

/** The server's own hint, where it is valid. */
function chooseCache({ ttlMs, cacheScope }: Result, hint: CacheHint): Result {
  return {
    ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : hint.ttlMs,
    cacheScope: cacheScope === 'public' || cacheScope === 'private' ? cacheScope : hint.cacheScope,
  };
}

/** How tools run as tasks was a matter of the revision of 2025-11-25 only. */
function withoutExecution(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: unknown) => {
    if (!isObject(tool) || tool.execution === undefined) return tool;
    const { execution: _execution, ...rest } = tool;
    return rest;
  });
}
