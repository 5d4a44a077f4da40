/** `--from "GET /items"`: the request of a new scenario. */
import { formatSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import { httpMethods, type Method } from '../../scenario/scenario.ts';

export type NewRequest = { readonly method: Method; readonly path: string };

/** A path alone is a GET; an address is reduced to its path. Throws NEW_REQUEST_INVALID. */
export function parseRequest(text: string): NewRequest {
  const request = text.trim();
  const [, word, target = ''] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(request) ?? [];
  const refuse = (problem: string) => vpError('NEW_REQUEST_INVALID', { request: `\`${request}\``, problem });
  if (target === '') throw refuse('it needs a method and a path, separated by a space');
  const method = httpMethods.find((each) => each === (word ?? 'GET').toUpperCase());
  if (!method) throw refuse(`${formatSuggestion(word ?? '', httpMethods)}the methods are ${httpMethods.join(', ')}`);
  const path = target.replace(/^\$\{INGESTION_URL\}/, '').replace(/^https?:\/\/[^/?#]*/i, '');
  const rooted = path === '' ? '/' : path;
  if (!rooted.startsWith('/')) throw refuse('the path must begin with `/`');
  const parameter = /\{[^}]*\}|(?<=\/):\w+/.exec(rooted)?.[0];
  if (parameter !== undefined) throw refuse(`write a real value instead of \`${parameter}\``);
  if (!/^[!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]*$/.test(rooted))
    throw refuse('it has a character that a path must not have; write it percent-encoded');
  return { method, path: rooted };
}
