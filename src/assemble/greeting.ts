/** How the greeting of an executor goes, for those beside it who wait for that. */
import type { ControlPort, Welcome } from '../contract/executor-api.ts';

/** `port` is for the executor; `welcomed` settles at most once, and never rejects. */
export type HeardGreeting = { readonly port: ControlPort; readonly welcomed: Promise<Welcome> };

/** Listens in on the greetings that go through `port`. */
export function heardGreeting(port: ControlPort): HeardGreeting {
  const { promise: welcomed, resolve: welcome } = Promise.withResolvers<Welcome>();
  const hello: ControlPort['hello'] = async (message, signal) => {
    const answer = await port.hello(message, signal);
    welcome(answer);
    return answer;
  };
  return { port: { ...port, hello }, welcomed };
}
