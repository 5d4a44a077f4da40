/** What ajv found, in words for people. */
import type { ErrorObject } from 'ajv/dist/2020.js';

/** A place in a value, as `.scenarios[0].id` (empty for the whole value), and what is wrong there. */
export type SchemaFault = { readonly where: string; readonly problem: string };

/** ajv's errors as faults, without those that only sum up others. */
export function faultsOf(errors: readonly ErrorObject[]): readonly SchemaFault[] {
  const telling = errors.filter((error) => !sumsUp(error, errors));
  return telling.map((error) => ({ where: placeOf(error.instancePath), problem: problemOf(error) }));
}

/** A union complains once for each branch and once for itself: the branch for null and the sum say nothing new. */
function sumsUp(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const isNullBranch = error.keyword === 'type' && error.params.type === 'null';
  if (error.keyword !== 'anyOf' && !isNullBranch) return false;
  return errors.some(
    (other) =>
      other.keyword !== 'anyOf' && other.params.type !== 'null' && other.instancePath.startsWith(error.instancePath),
  );
}

function placeOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((token) => (/^\d+$/.test(token) ? `[${token}]` : `.${token}`))
    .join('');
}

function problemOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return `lacks \`${params.missingProperty}\``;
    case 'additionalProperties':
      return `does not know \`${String(params.additionalProperty).slice(0, 60)}\``;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return message ?? `breaks the rule ${keyword}`;
  }
}
