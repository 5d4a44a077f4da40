/** Notifications of a control plane with the instance `app`, and receivers that are real servers. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { openNotificationService } from '../../src/assemble/control-plane/notifications.ts';
import type { OpenControl } from '../../src/control/open-control.ts';
import type { NotificationSettings } from '../../src/notifications/context.ts';
import type { OpenNotifications } from '../../src/notifications/notifications.ts';
import { openTestControlWithApp } from '../control/control-fixture.ts';
import type { FakeClock } from '../environment/fake-clock.ts';
import { eventually } from '../eventually.ts';

export const ana = { name: 'ana' };

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
  readonly body: any;
};

export type Receiver = {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The status of the answers from now on; 0 cuts the connection without an answer. */
  respondWith(status: number, headers?: Record<string, string>): void;
};

/** Answers 200 at first. */
export async function startReceiver(t: Test): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let answer: { status: number; headers: Record<string, string> } = { status: 200, headers: {} };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    requests.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) });
    if (answer.status === 0) request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks/T0/secret-4711`,
    requests,
    respondWith(status, headers = {}) {
      answer = { status, headers };
    },
  };
}

export type TestNotifications = {
  readonly control: OpenControl;
  readonly clock: FakeClock;
  readonly notifications: OpenNotifications;
  readonly errors: unknown[];
  /** Lets time pass until `condition` holds; each look is `stepMs` later. */
  pass<T>(condition: () => T | Promise<T>, description: string, stepMs?: number): Promise<void>;
  /** What another process would have beside this one. */
  open(): OpenNotifications;
  /** Another process after this one has ended. */
  reopen(): Promise<OpenNotifications>;
};

export async function openTestNotifications(
  t: Test,
  settings: Partial<NotificationSettings> = {},
  { allowPrivate = true, extraRoots = [] }: { allowPrivate?: boolean; extraRoots?: readonly string[] } = {},
): Promise<TestNotifications> {
  const { control, clock } = await openTestControlWithApp(t);
  const errors: unknown[] = [];
  const open = (): OpenNotifications =>
    openNotificationService({
      ...{ control, environment: { variables: {} }, notificationSettings: settings },
      upstreams: { allowPrivate, extraRoots },
      address: () => 'https://vp.example',
      log: { error: ({ err }: { err: unknown }) => void errors.push(err) } as never,
    });
  let notifications = open();
  t.teardown(() => notifications.close());
  return {
    ...{ control, clock, errors, open },
    notifications,
    pass: (condition, description, stepMs = 20) =>
      eventually(
        async () => {
          clock.advance(stepMs);
          return condition();
        },
        { description },
      ).then(() => undefined),
    async reopen() {
      await notifications.close();
      notifications = open();
      return notifications;
    },
  };
}
