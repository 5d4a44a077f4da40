/**
 * Renders a page of the console against a control plane in this process: its client's requests go to the real listener, with the
 * owner's key, and what comes back is what people get.
 */
import type { ReactNode } from 'react';
import type { Test } from 'tap';
import { type ControlPlane, startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { type RenderedConsole, renderConsoleOn } from './render-console.ts';

export type ConsoleTestPlane = {
  readonly plane: ControlPlane;
  /** With the owner's key. */
  readonly vp: Client;
  render(t: Pick<Test, 'teardown'>, path: string, load: () => Promise<ReactNode>): Promise<RenderedConsole>;
};

export const createScenarioText = (id: string, path = '/documents'): string => `# Scenario: GET ${id}

## Metadata

- ID: ${id}
- Layer: HTTP Ingestion

## TRIGGER

GET \${INGESTION_URL}${path}

## EXPECT

### Runnable

- status=200
`;

/** Rendering replaces the global one. */
const networkFetch = globalThis.fetch;

const quietLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** It has the instance `shop`. */
export async function startConsoleTestPlane(t: Test): Promise<ConsoleTestPlane> {
  const { environment } = memoryEnvironment();
  const options = { environment, folder: t.testdir(), host: '127.0.0.1', port: 0, log: quietLog };
  const plane = await startControlPlane(options);
  t.teardown(() => plane.close());
  await plane.control.instances.create({ instance_id: 'shop', tier: 'embedded' }, { name: 'owner' });
  const authorization = `Bearer ${plane.ownerKey}`;
  const respond = (_method: string, { pathname, search }: URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', authorization);
    return networkFetch(`${plane.url}${pathname}${search}`, { ...init, headers });
  };
  const session: unknown = await (await respond('GET', new URL('/api/v1/session', plane.url))).json();
  return {
    plane,
    vp: createClient({ baseUrl: plane.url, token: plane.ownerKey, fetch: networkFetch }),
    render: (test, path, load) => renderConsoleOn(test, path, { respond, session }, load),
  };
}
