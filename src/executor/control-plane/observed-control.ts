/** An executor's calls to the control plane, observed for others in the process. */
import type { ControlPort, HelloResponse, InstanceRunTotals } from '../../contract/executor-api.ts';

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

/** Remembers what the control plane last said of the instance's finished runs. */
export function observeRunTotals(control: ControlPort): {
  readonly control: ControlPort;
  read(): InstanceRunTotals | undefined;
} {
  const state: { totals: InstanceRunTotals | undefined } = { totals: undefined };
  const remember = <T extends { readonly run_totals?: InstanceRunTotals }>(response: T): T => {
    state.totals = response.run_totals ?? state.totals;
    return response;
  };
  return {
    control: {
      ...control,
      hello: async (message, signal) => remember(await control.hello(message, signal)),
      poll: async (message, signal) => remember(await control.poll(message, signal)),
      complete: async (message, signal) => remember(await control.complete(message, signal)),
    },
    read: () => state.totals,
  };
}
