/**
 * The SDK's client answers each request of a server in an HTTP request of its own, whether a call is open or not. A server that
 * floods its stream with pings took 4,254 connections in 8 s. More answers than these at once are dropped: a server that asks so
 * much notices by its own timeout.
 */
import { isObject, tryParseJson } from '../../json/json-object.ts';

type AnswerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const maxOpenAnswers = 100;

/** The same for everything but answers. */
export function boundOpenAnswers(fetch: AnswerFetch): AnswerFetch {
  let open = 0;
  return async (url, init) => {
    if (!isAnswer(init?.body)) return fetch(url, init);
    if (open >= maxOpenAnswers) throw new Error('too many answers are in flight');
    open += 1;
    try {
      return await fetch(url, init);
    } finally {
      open -= 1;
    }
  };
}

function isAnswer(body: unknown): boolean {
  const message = typeof body === 'string' ? tryParseJson(body) : undefined;
  return isObject(message) && message.method === undefined && message.id !== undefined;
}
