/**
 * Routes whose path has no parameters, found by their whole path: a router and its context take longer than some handlers. They come
 * before routes with parameters that would match the same path.
 */

type Handler<E> = (request: Request, env: E) => Promise<Response>;

export class DirectRoutes<E> {
  readonly #handlers = new Map<string, Handler<E>>();

  /** `path` is a template as in OpenAPI; one with parameters is left to the router. */
  add(method: string, path: string, handler: Handler<E>): void {
    if (!path.includes('{')) this.#handlers.set(`${method} ${path}`, handler);
  }

  /** Undefined for other paths, for HEAD, and for methods that a path does not have. */
  find({ method, url }: Pick<Request, 'method' | 'url'>): Handler<E> | undefined {
    return this.#handlers.get(`${method} ${readPath(url)}`);
  }
}

/** The path of an absolute URL as it was sent: one with escaped characters is left to the router, which decodes it. */
function readPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.slice(start).search(/[?#]/);
  return start === -1 ? '/' : url.slice(start, end === -1 ? undefined : start + end);
}
