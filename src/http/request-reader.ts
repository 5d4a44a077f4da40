/** Reads and validates a request by the schemas of its route. */
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import { readJsonBody } from './body.ts';
import type { SchemaViolation } from './schema/schema-violations.ts';
import { parseHeaders, parseParams, parseQuery } from './schema/text-values.ts';
import { createValidator, type Validator } from './schema/validator.ts';

/** The type of a schema's values; unknown without a schema. */
export type SchemaValue<T> = T extends TSchema ? Static<T> : unknown;

const defaultBodyLimitBytes = 65_536;

/**
 * Reads and validates, cheapest first: path, query, headers, then the body. Throws REQUEST_INVALID, BODY_*,
 * MEDIA_TYPE_REFUSED.
 */
export function createRequestReader<P extends TObject, Q extends TObject, H extends TObject, B extends TSchema>(spec: {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly bodyLimitBytes?: number;
}) {
  const readParams = createTextReader(spec.params, 'path parameter');
  const readQuery = createTextReader(spec.query, 'query parameter');
  const readHeaders = createTextReader(spec.headers, 'header');
  const isOpenQuery = spec.query?.additionalProperties === true;
  const readBody = createBodyReader(spec.body, spec.bodyLimitBytes ?? defaultBodyLimitBytes);
  return async (request: Request, params: Readonly<Record<string, string>>) => ({
    params: readParams(parseParams(params, spec.params?.properties ?? {})),
    query: readQuery(parseQuery(request.url, spec.query?.properties ?? {}, isOpenQuery)),
    headers: readHeaders(parseHeaders(request.headers, spec.headers?.properties ?? {})),
    body: await readBody(request),
  });
}

function createTextReader<T extends TObject>(
  schema: T | undefined,
  label: string,
): (values: unknown) => SchemaValue<T> {
  const validator: Validator<SchemaValue<T>> = schema
    ? createValidator<SchemaValue<T>>(schema)
    : createAcceptingValidator();
  return (values) => {
    if (validator.isValid(values)) return values;
    const errors = validator.listViolations(values, true);
    throw createRequestInvalidError(
      errors.map(({ where, problem }) => ({ where: `${label} ${where.slice(1)}`.trim(), problem })),
    );
  };
}

const allErrorsMaxBytes = 65_536;

function createBodyReader<B extends TSchema>(
  schema: B | undefined,
  limitBytes: number,
): (r: Request) => Promise<SchemaValue<B>> {
  const validator: Validator<SchemaValue<B>> = schema
    ? createValidator<SchemaValue<B>>(schema)
    : createAcceptingValidator();
  return async (request) => {
    const { value, sizeBytes } = schema ? await readJsonBody(request, limitBytes) : { value: undefined, sizeBytes: 0 };
    if (validator.isValid(value)) return value;
    const errors = validator.listViolations(value, sizeBytes <= allErrorsMaxBytes);
    throw createRequestInvalidError(errors.map(({ where, problem }) => ({ where: `body${where}`, problem })));
  };
}

function createAcceptingValidator<T>(): Validator<T> {
  return { isValid: (_value): _value is T => true, listViolations: () => [] };
}

const maxReportedErrors = 100;

/** The message has the first error; `diagnostics` has all of them, up to a limit. */
function createRequestInvalidError(errors: readonly SchemaViolation[]) {
  const [first = { where: 'the request', problem: 'has the wrong shape' }, ...remaining] = errors;
  const suffix = remaining.length > 0 ? ` (and ${remaining.length} more, see \`diagnostics\`)` : '';
  const values = { where: first.where, problem: `${first.problem}${suffix}` };
  return vpError('REQUEST_INVALID', values, { diagnostics: errors.slice(0, maxReportedErrors) });
}
