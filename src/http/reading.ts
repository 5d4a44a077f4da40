/** Takes apart a request by the schemas of its route; what a handler gets has been validated once, here. */
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import { readJson } from './body.ts';
import type { SchemaFault } from './schema-faults.ts';
import { headersOf, paramsOf, queryOf } from './text-values.ts';
import { type Validator, validatorOf } from './validator.ts';

/** The type of a schema's values; unknown where there is no schema. */
export type Out<T> = T extends TSchema ? Static<T> : unknown;

const defaultBodyLimitBytes = 65_536;

/**
 * Reads and validates, cheapest first: path, query, headers, then the body. Throws REQUEST_INVALID, BODY_*,
 * MEDIA_TYPE_REFUSED.
 */
export function readerOf<P extends TObject, Q extends TObject, H extends TObject, B extends TSchema>(spec: {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly bodyLimitBytes?: number;
}) {
  const paramsRead = textReader(spec.params, 'path parameter');
  const queryRead = textReader(spec.query, 'query parameter');
  const headersRead = textReader(spec.headers, 'header');
  const isOpenQuery = spec.query?.additionalProperties === true;
  const bodyOf = bodyReader(spec.body, spec.bodyLimitBytes ?? defaultBodyLimitBytes);
  return async (request: Request, params: Readonly<Record<string, string>>) => ({
    params: paramsRead(paramsOf(params, spec.params?.properties ?? {})),
    query: queryRead(queryOf(request.url, spec.query?.properties ?? {}, isOpenQuery)),
    headers: headersRead(headersOf(request.headers, spec.headers?.properties ?? {})),
    body: await bodyOf(request),
  });
}

function textReader<T extends TObject>(schema: T | undefined, what: string): (values: unknown) => Out<T> {
  const validator: Validator<Out<T>> = schema ? validatorOf<Out<T>>(schema) : anything();
  return (values) => {
    if (validator.accepts(values)) return values;
    const faults = validator.faults(values, true);
    throw invalid(faults.map(({ where, problem }) => ({ where: `${what} ${where.slice(1)}`.trim(), problem })));
  };
}

const manyFaultsUpToBytes = 65_536;

function bodyReader<B extends TSchema>(schema: B | undefined, limitBytes: number): (r: Request) => Promise<Out<B>> {
  const validator: Validator<Out<B>> = schema ? validatorOf<Out<B>>(schema) : anything();
  return async (request) => {
    const { value, sizeBytes } = schema ? await readJson(request, limitBytes) : { value: undefined, sizeBytes: 0 };
    if (validator.accepts(value)) return value;
    const faults = validator.faults(value, sizeBytes <= manyFaultsUpToBytes);
    throw invalid(faults.map(({ where, problem }) => ({ where: `body${where}`, problem })));
  };
}

function anything<T>(): Validator<T> {
  return { accepts: (_value): _value is T => true, faults: () => [] };
}

const shownFaults = 100;

/** The first fault in the sentence, all of them (bounded) as diagnostics. */
function invalid(faults: readonly SchemaFault[]) {
  const [first = { where: 'the request', problem: 'has the wrong shape' }, ...rest] = faults;
  const more = rest.length > 0 ? ` (and ${rest.length} more, see \`diagnostics\`)` : '';
  const values = { where: first.where, problem: `${first.problem}${more}` };
  return vpError('REQUEST_INVALID', values, { diagnostics: faults.slice(0, shownFaults) });
}
