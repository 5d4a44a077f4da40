/** Members of a result's `_meta` in which the hub speaks: a server that sends them is not the hub. */
import { isObject } from '../../json/json-object.ts';

type JsonObject = Record<string, unknown>;

/** Why the call was not sent. */
export const denialKey = 'vp/denied';
/** Which budget of the caller is near its end. */
export const budgetKey = 'vp/budget';

/** Without what a server has put there; the same object where that is nothing. */
export function withoutHubMeta(result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isObject(meta) || !(denialKey in meta || budgetKey in meta)) return result;
  const { [denialKey]: _denial, [budgetKey]: _budget, ...rest } = meta;
  return { ...result, _meta: rest };
}
