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
  const params = createOptionalValidator(spec.params);
  const query = createOptionalValidator(spec.query);
  const headers = createOptionalValidator(spec.headers);
  const body = createOptionalValidator(spec.body);
  const validators = [params, query, headers, body];
  const readParams = createTextReader(params, 'path parameter');
  const readQuery = createTextReader(query, 'query parameter');
  const readHeaders = createTextReader(headers, 'header');
  const isOpenQuery = spec.query?.additionalProperties === true;
  const readBody = createBodyReader(body, spec.body !== undefined, spec.bodyLimitBytes ?? defaultBodyLimitBytes);
  return {
    readRequest: async (request: Request, params: Readonly<Record<string, string>>) => ({
      params: readParams(parseParams(params, spec.params?.properties ?? {})),
      query: readQuery(parseQuery(request.url, spec.query?.properties ?? {}, isOpenQuery)),
      headers: readHeaders(parseHeaders(request.headers, spec.headers?.properties ?? {})),
      body: await readBody(request),
    }),
    /** Compiles the schemas before their first use. */
    prepare(): void {
      for (const { prepare } of validators) prepare();
    },
  };
}

function createOptionalValidator<T extends TSchema>(schema: T | undefined): Validator<SchemaValue<T>> {
  return schema ? createValidator<SchemaValue<T>>(schema) : createAcceptingValidator();
}

function createTextReader<T extends TObject>(
  validator: Validator<SchemaValue<T>>,
  label: string,
): (values: unknown) => SchemaValue<T> {
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
  validator: Validator<SchemaValue<B>>,
  hasBody: boolean,
  limitBytes: number,
): (r: Request) => Promise<SchemaValue<B>> {
  return async (request) => {
    const { value, sizeBytes } = hasBody ? await readJsonBody(request, limitBytes) : { value: undefined, sizeBytes: 0 };
    if (validator.isValid(value)) return value;
    const errors = validator.listViolations(value, sizeBytes <= allErrorsMaxBytes);
    throw createRequestInvalidError(errors.map(({ where, problem }) => ({ where: `body${where}`, problem })));
  };
}

function createAcceptingValidator<T>(): Validator<T> {
  return { isValid: (_value): _value is T => true, prepare: () => undefined, listViolations: () => [] };
}

const maxReportedErrors = 100;

/** The message has the first error; `diagnostics` has all of them, up to a limit. */
function createRequestInvalidError(errors: readonly SchemaViolation[]) {
  const [first = { where: 'the request', problem: 'has the wrong shape' }, ...remaining] = errors;
  const suffix = remaining.length > 0 ? ` (and ${remaining.length} more, see \`diagnostics\`)` : '';
  const values = { where: first.where, problem: `${first.problem}${suffix}` };
  return vpError('REQUEST_INVALID', values, { diagnostics: errors.slice(0, maxReportedErrors) });
}
