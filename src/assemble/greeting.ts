/** How the greeting of an executor goes, for those beside it who wait for that. */
import type { ControlPort, Welcome } from '../contract/executor-api.ts';

/** `port` is for the executor; the two promises settle at most once, and never reject. */
export type HeardGreeting = {
  readonly port: ControlPort;
  readonly welcomed: Promise<Welcome>;
  /** Why the first attempt failed, where it did; the executor goes on trying. */
  readonly troubled: Promise<unknown>;
};

/** Listens in on the greetings that go through `port`. */
export function heardGreeting(port: ControlPort): HeardGreeting {
  const { promise: welcomed, resolve: welcome } = Promise.withResolvers<Welcome>();
  const { promise: troubled, resolve: trouble } = Promise.withResolvers<unknown>();
  const hello: ControlPort['hello'] = async (message, signal) => {
    try {
      const answer = await port.hello(message, signal);
      welcome(answer);
      return answer;
    } catch (error) {
      trouble(error);
      throw error;
    }
  };
  return { port: { ...port, hello }, welcomed, troubled };
}
