/** Renders a page of the console with its providers, at an address, against prepared responses of the API. */
import type { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import type { Test } from 'tap';
import { type RenderedComponent, renderComponent } from './render-component.ts';
import { replaceGlobals } from './replace-globals.ts';

/** Responses by method and path, such as `GET /api/v1/instances`. A function receives the request, and may respond later. */
export type ApiResponses = Readonly<Record<string, unknown>>;

export type RenderedConsole = RenderedComponent & {
  /** Method and path with query of each request, in order. */
  readonly requests: readonly string[];
  /** Runs until `condition` holds, at most 20 seconds. */
  until(condition: () => boolean): Promise<void>;
  press(key: string, options?: Partial<KeyboardEventInit>): Promise<void>;
};

const session = {
  person: { person_id: 'p1', name: 'Ana Lopes', email: 'ana@example.com', role: 'owner', has_password: true },
  via: 'session',
  role: 'owner',
  version: '0.4.0',
};

/** What a page finds in its global scope, beside what `renderComponent` puts there. */
const objects = ['location', 'history', 'localStorage', 'navigator'] as const;
const functions = [
  'matchMedia',
  'getComputedStyle',
  'addEventListener',
  'removeEventListener',
  'dispatchEvent',
] as const;
const classes = [
  'HTMLDialogElement',
  'HTMLDetailsElement',
  'HTMLInputElement',
  'HTMLTextAreaElement',
  'HTMLSelectElement',
  'KeyboardEvent',
  'PointerEvent',
  'Element',
] as const;

/** Wouter announces navigation on the window that it was loaded with only; each test of a file has its own. */
function announceNavigation(window: Window): void {
  Object.assign(window, { [Symbol.for('wouter_v3')]: true });
  for (const type of ['pushState', 'replaceState'] as const) {
    const change = window.history[type].bind(window.history);
    Object.assign(window.history, {
      [type](data: unknown, unused: string, url?: string) {
        change(data, unused, url);
        window.dispatchEvent(new window.Event(type));
      },
    });
  }
}

/** `path` may be a whole URL of another host. `load` imports the components: modules that read the document must be imported after it exists. */
export function renderConsole(
  t: Pick<Test, 'teardown'>,
  path: string,
  responses: ApiResponses,
  load: () => Promise<ReactNode>,
): Promise<RenderedConsole> {
  const known: ApiResponses = { 'GET /api/v1/session': session, ...responses };
  const respond: Respond = async (method, { pathname, search }, init) => {
    const response = known[`${method} ${pathname}`];
    const body = typeof response === 'function' ? response(new URLSearchParams(search), init?.body) : response;
    if (body === undefined)
      return Response.json({ code: 'ROUTE_UNKNOWN', detail: pathname, cure: '-' }, { status: 404 });
    return Response.json(await body);
  };
  return renderConsoleOn(t, path, { respond, session }, load);
}

type Respond = (method: string, url: URL, init: RequestInit | undefined) => Promise<Response>;

/** What answers the requests of a page, and the session that is known when it is first displayed. */
export type ConsoleApi = { readonly respond: Respond; readonly session: unknown };

/** The same, with `api` in place of prepared responses. */
export async function renderConsoleOn(
  t: Pick<Test, 'teardown'>,
  path: string,
  api: ConsoleApi,
  load: () => Promise<ReactNode>,
): Promise<RenderedConsole> {
  const requests: string[] = [];
  const respond = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const method = init?.method ?? 'GET';
    requests.push(`${method} ${url.pathname}${url.search}`);
    return api.respond(method, url, init);
  };
  const rendered = await renderComponent(t, undefined, async (window) => {
    window.happyDOM.setURL(new URL(path, 'http://localhost:7700').href);
    announceNavigation(window);
    class QuietObserver {
      observe(): void {}
      disconnect(): void {}
    }
    replaceGlobals(t, {
      ...Object.fromEntries(objects.map((name) => [name, window[name]])),
      ...Object.fromEntries(classes.map((name) => [name, window[name]])),
      ...Object.fromEntries(functions.map((name) => [name, window[name].bind(window)])),
      ...{ IntersectionObserver: QuietObserver, ResizeObserver: QuietObserver },
      ...{ scrollTo: () => {}, fetch: respond },
    });
    const [
      { notifyManager, QueryClient, QueryClientProvider },
      { ConsoleClientContext, createConsoleClient },
      { act, createElement },
    ] = await Promise.all([
      import('@tanstack/react-query'),
      import('../../src/console/session/client.ts'),
      import('react'),
    ]);
    // Responses arrive at any time.
    notifyManager.setNotifyFunction((notify) => act(notify));
    t.teardown(() => notifyManager.setNotifyFunction((notify) => notify()));
    const queries = new QueryClient({
      defaultOptions: {
        queries: { retry: false, networkMode: 'always', gcTime: Number.POSITIVE_INFINITY },
        // A timer for unused results would keep the process.
        mutations: { gcTime: Number.POSITIVE_INFINITY },
      },
    });
    queries.setQueryData(['session'], api.session);
    const provided = createElement(QueryClientProvider, { client: queries, children: await load() });
    return createElement(ConsoleClientContext, {
      value: createConsoleClient('http://localhost:7700'),
      children: provided,
    });
  });
  const { act } = await import('react');
  return {
    ...rendered,
    requests,
    async until(condition) {
      for (let attempt = 0; !condition(); attempt += 1) {
        if (attempt > 2000) throw new Error(`not reached; the page is ${rendered.container.innerHTML}`);
        await act(async () => new Promise((resolve) => setTimeout(resolve, 10)));
      }
    },
    async press(key, options) {
      const target = document.activeElement ?? document.body;
      await act(async () =>
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options })),
      );
    },
  };
}
