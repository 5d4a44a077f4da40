import type { Hono } from 'hono';
import type { ExampleEnv, Services } from '../http/context.ts';
import { envelope } from '../resources/envelope.ts';
import { logStep, recordStep, sendEnvelope } from '../saga.ts';
import { collectionRoutes, type OnCreate } from './collection.ts';

function createSagaHooks(services: Services): OnCreate {
  const toSaga = (id: unknown, requestId: string) => ({ envelopeId: String(id), requestId });
  return {
    inTransaction: (session, row, requestId) =>
      recordStep(session, services, toSaga(row.id, requestId), 'created', String(row.createdAt)),
    committed: (row, requestId) => logStep(services, toSaga(row.id, requestId), 'created'),
  };
}

/** The collection routes, and `POST /:id/send`, which runs the saga and returns the envelope. */
export function envelopeRoutes(services: Services): Hono<ExampleEnv> {
  const routes = collectionRoutes(services, envelope, createSagaHooks(services));
  routes.post('/:id/send', async (c) => {
    const saga = { envelopeId: c.req.param('id'), requestId: c.get('requestId') };
    return c.json(await sendEnvelope(services, saga));
  });
  return routes;
}
