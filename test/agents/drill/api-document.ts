/** The API document of the shop: all that an agent knows of it. Rules that a schema cannot express are sentences, as in other documents. */
const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const object = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const list = (items: object) => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const response = (description: string, schema?: object) =>
  schema === undefined ? { description } : { description, content: json(schema) };
const failures = (...statuses: readonly number[]) =>
  Object.fromEntries([401, ...statuses].map((status) => [status, response('refused', ref('Error'))]));
const page = (schema: object) =>
  object({ data: list(schema), count: integer, page: integer, perPage: integer, totalPages: integer });
const parameter = (name: string, place: string) => ({ name, in: place, required: place === 'path', schema: integer });
const paging = [parameter('page', 'query'), parameter('perPage', 'query')];
const body = (schema: object, example: object) => ({
  required: true,
  content: { 'application/json': { schema, example } },
});

const pageRule = 'Pages of perPage rows in a stable order. Rule: `totalPages = ceil(count / perPage)`.';
const ownRule = 'Belongs to one customer: others get 404.';

export const apiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Shop',
    version: '1',
    description: 'The token of the tests is of customer 1, who has account 1; `${PLAIN}` is a token of customer 2.',
  },
  security: [{ bearer: [] }],
  paths: {
    '/orders': {
      get: {
        description: pageRule,
        parameters: paging,
        responses: { 200: response('orders', page(ref('Order'))), ...failures() },
      },
      post: {
        description: 'Rule: `total = round(sum(items.price * items.quantity), 2)`.',
        requestBody: body(object({ items: list(ref('Item')) }), { items: [{ price: 2.5, quantity: 2 }] }),
        responses: { 201: response('created', ref('Order')), ...failures(400) },
      },
    },
    '/orders/{id}': {
      parameters: [parameter('id', 'path')],
      get: { description: ownRule, responses: { 200: response('order', ref('Order')), ...failures(404) } },
    },
    '/products': {
      get: {
        description: pageRule,
        parameters: paging,
        responses: { 200: response('products', page(ref('Product'))), ...failures() },
      },
    },
    '/products/{id}': {
      parameters: [parameter('id', 'path')],
      get: { responses: { 200: response('product', ref('Product')), ...failures(404) } },
      put: {
        requestBody: body(object({ price: number }), { price: 77 }),
        responses: { 200: response('changed', ref('Product')), ...failures(400, 404) },
      },
      delete: { responses: { 204: response('removed'), ...failures(404) } },
    },
    '/accounts/{id}': {
      parameters: [parameter('id', 'path')],
      get: { description: ownRule, responses: { 200: response('account', ref('Account')), ...failures(404) } },
    },
    '/accounts/{id}/withdrawals': {
      parameters: [parameter('id', 'path')],
      post: {
        description: `${ownRule} Each withdrawal lowers \`balance\` of the account by \`amount\`, which is never below zero.`,
        requestBody: body(object({ amount: number }), { amount: 3 }),
        responses: {
          201: response('withdrawn', object({ account: integer, amount: number })),
          ...failures(400, 404, 409),
        },
      },
    },
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Error: object({ error: text }),
      Item: object({ price: number, quantity: integer }),
      Order: object({ id: integer, customer: ref('Customer'), items: list(ref('Item')), total: number }),
      Customer: object({ id: integer, name: text }),
      Product: object({ id: integer, name: text, price: number }),
      Account: object({ id: integer, balance: number }),
    },
  },
} as const;
