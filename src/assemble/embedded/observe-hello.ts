/** Observes the hello of an executor, for others in the process that wait for its instance. */
import type { ControlPort, HelloResponse } from '../../contract/executor-api.ts';

/** `port` is for the executor; `helloResponse` never rejects. */
export type ObservedHello = { readonly port: ControlPort; readonly helloResponse: Promise<HelloResponse> };

export function observeHello(port: ControlPort): ObservedHello {
  const { promise: helloResponse, resolve: resolveHello } = Promise.withResolvers<HelloResponse>();
  const hello: ControlPort['hello'] = async (message, signal) => {
    const response = await port.hello(message, signal);
    resolveHello(response);
    return response;
  };
  return { port: { ...port, hello }, helloResponse };
}
