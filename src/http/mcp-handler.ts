/** MCP over HTTP for authenticated callers, in both eras of the protocol. Loads the SDK: import it when the first request arrives. */
import { type AuthInfo, createMcpHandler, type Server } from '@modelcontextprotocol/server';

export type McpHandler<Caller> = {
  /** `parsedBody` is the body if it was read already. */
  handle(request: Request, caller: Caller, parsedBody?: unknown): Promise<Response>;
  close(): Promise<void>;
};

export type McpHandlerOptions<Caller> = {
  /** Called for each request. */
  createServer(caller: Caller): Server;
  getClientId(caller: Caller): string;
  readonly maxRequestBytes: number;
  readonly onError: (error: unknown) => void;
};

/** The SDK reports a message that it refuses as an error, too; its sender has the answer, and would fill the log. */
function isRefusedMessage({ message }: Error): boolean {
  return message.startsWith('Rejected inbound request ');
}

/** Creates a handler that keeps no state between requests. */
export function createCallerMcpHandler<Caller>(options: McpHandlerOptions<Caller>): McpHandler<Caller> {
  const { createServer, getClientId, maxRequestBytes, onError } = options;
  // The SDK passes this same object to the factory; it is the only value of ours that it carries.
  const callers = new WeakMap<AuthInfo, { readonly caller: Caller }>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const entry = authInfo && callers.get(authInfo);
      if (!entry) throw new TypeError('a request arrived without its caller');
      return createServer(entry.caller);
    },
    {
      maxRequestBodySize: maxRequestBytes,
      onerror: (error) => {
        if (!isRefusedMessage(error)) onError(error);
      },
    },
  );
  return {
    handle(request, caller, parsedBody) {
      const authInfo: AuthInfo = { token: '', clientId: getClientId(caller), scopes: [] };
      callers.set(authInfo, { caller });
      return handler.fetch(request, parsedBody === undefined ? { authInfo } : { authInfo, parsedBody });
    },
    close: () => handler.close(),
  };
}
