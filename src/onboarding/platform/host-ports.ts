/** Ports on 127.0.0.1 that the platform uses on every machine. */
export const hostPorts = { dashboard: 3000, metrics: 9095, router: 9765 } as const;

/** Executors get one port each from this range. */
export const executorPortRange = { first: 8765, last: 8790 } as const;

/** Address of the router for the agents of this machine. */
export const routerUrl = `http://127.0.0.1:${hostPorts.router}/mcp`;
