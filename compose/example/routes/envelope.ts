import type { Hono } from 'hono';
import type { ExampleEnv, Services } from '../http/context.ts';
import { envelope } from '../resources/envelope.ts';
import { logStep, recordStep, sendEnvelope } from '../saga.ts';
import { collectionRoutes, type OnCreate } from './collection.ts';

function sagaBegins(services: Services): OnCreate {
  const sagaOf = (id: unknown, requestId: string) => ({ envelopeId: String(id), requestId });
  return {
    inTransaction: (session, row, requestId) =>
      recordStep(session, services, sagaOf(row.id, requestId), 'created', String(row.createdAt)),
    committed: (row, requestId) => logStep(services, sagaOf(row.id, requestId), 'created'),
  };
}

/** The routes of every collection, and `POST /:id/send`, which runs the saga and answers the envelope. */
export function envelopeRoutes(services: Services): Hono<ExampleEnv> {
  const routes = collectionRoutes(services, envelope, sagaBegins(services));
  routes.post('/:id/send', async (c) => {
    const saga = { envelopeId: c.req.param('id'), requestId: c.get('requestId') };
    return c.json(await sendEnvelope(services, saga));
  });
  return routes;
}
