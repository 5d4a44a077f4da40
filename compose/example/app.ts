import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { ApiError, apiErrorResponse } from './http/api-error.ts';
import { bearer } from './http/bearer.ts';
import type { ExampleEnv, Services } from './http/context.ts';
import { maxBodyBytes } from './http/json-body.ts';
import { requestLog } from './http/request-log.ts';
import { document } from './resources/document.ts';
import { folder } from './resources/folder.ts';
import { template } from './resources/template.ts';
import { collectionRoutes } from './routes/collection.ts';
import { envelopeRoutes } from './routes/envelope.ts';
import { health } from './routes/health.ts';
import { DatabaseUnavailable } from './storage/database.ts';

function answerError(services: Services, error: Error, c: Context<ExampleEnv>) {
  if (error instanceof ApiError) return apiErrorResponse(c, error);
  services.events('error', 'the request failed', { error: error.message, requestId: c.get('requestId') });
  return error instanceof DatabaseUnavailable
    ? apiErrorResponse(c, new ApiError('unavailable', 'the database does not answer'))
    : apiErrorResponse(c, new ApiError('internal', 'an unexpected error; the log has the reason'));
}

function refuseMethod(c: Context<ExampleEnv>, methods: readonly string[]) {
  const Allow = methods.join(', ');
  return apiErrorResponse(c, new ApiError('method_not_allowed', `this path answers ${Allow}`), { Allow });
}

/** The application without a listener. Everything under `/api/v2` needs `apiToken`. */
export function createApp(services: Services, apiToken: string): Hono<ExampleEnv> {
  const app = new Hono<ExampleEnv>();
  // What is left of the body stays unread, so the connection cannot be used again.
  const tooLarge = new ApiError('body_too_large', `a body may have ${maxBodyBytes} bytes`);
  app.onError((error, c) => answerError(services, error, c));
  app.notFound((c) => apiErrorResponse(c, new ApiError('not_found', 'there is nothing at this path')));
  app.use(requestLog(services));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  app.use('/api/v2/*', bearer(apiToken));
  app.use(
    '/api/v2/*',
    bodyLimit({ maxSize: maxBodyBytes, onError: (c) => apiErrorResponse(c, tooLarge, { Connection: 'close' }) }),
  );
  app.get('/api/health', health(services));
  for (const resource of [document, folder, template]) {
    app.route(`/api/v2/${resource.name}`, collectionRoutes(services, resource));
  }
  app.route('/api/v2/envelope', envelopeRoutes(services));
  return app;
}
