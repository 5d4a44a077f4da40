/** Reads an API document as an agent does: operations with what they document. Nothing here names a path or a field of the application. */
type Schema = { readonly [name: string]: unknown };
export type Operation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly example: Readonly<Record<string, unknown>> | undefined;
  readonly responses: ReadonlyMap<number, Schema | undefined>;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function readOperations(document: object): readonly Operation[] {
  const schemas = record(record(record(document).components).schemas);
  return Object.entries(record(record(document).paths)).flatMap(([path, item]) => {
    const shared = list(record(item).parameters);
    return Object.entries(record(item)).flatMap(([method, value]) => {
      if (method === 'parameters') return [];
      const operation = record(value);
      const content = record(record(record(operation.requestBody).content)['application/json']);
      const responses = Object.entries(record(operation.responses)).map(([status, response]) => {
        const { schema } = record(record(record(response).content)['application/json']);
        return [Number(status), schema === undefined ? undefined : makeStrict(schema, schemas)] as const;
      });
      return {
        id: `${method}${path.replaceAll(/[/{}]+/g, '-')}`.replace(/-$/, ''),
        method: method.toUpperCase(),
        path,
        description: String(operation.description ?? ''),
        parameters: [...shared, ...list(operation.parameters)].map((each) => String(record(each).name)),
        example: content.example === undefined ? undefined : record(content.example),
        responses: new Map(responses),
      };
    });
  });
}

/** The schema without references, in which no object may have a field that is not documented. */
function makeStrict(schema: unknown, schemas: Record<string, unknown>): Schema {
  const { $ref: reference, items, properties, ...rest } = record(schema);
  if (typeof reference === 'string') return makeStrict(schemas[reference.split('/').at(-1) ?? ''], schemas);
  const fields = Object.entries(record(properties)).map(([name, value]) => [name, makeStrict(value, schemas)]);
  return {
    ...rest,
    ...(items === undefined ? {} : { items: makeStrict(items, schemas) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields), additionalProperties: false }),
  };
}

/** ``Rule: `a = b` `` of a description, as the two sides. */
export function findRule({ description }: Operation): readonly [left: string, right: string] | undefined {
  const [, left, right] = /Rule: `(\S+) = ([^`]+)`/.exec(description) ?? [];
  return left === undefined || right === undefined ? undefined : [left, right];
}

export const isPaged = ({ parameters }: Operation): boolean => parameters.includes('page');
/** The status of success. */
export const getSuccess = ({ responses }: Operation): number => [...responses.keys()].find((each) => each < 300) ?? 200;

/** The operation of `method` on the same resource, or on the one that `path` names. */
export function findOperation(all: readonly Operation[], method: string, path: string): Operation | undefined {
  return all.find((each) => each.method === method && each.path === path);
}
