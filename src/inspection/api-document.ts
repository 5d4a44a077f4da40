/** What of an OpenAPI document (versions 2 and 3) a first scenario needs: operations, and what they require. */
import { type Json, toStringForm } from '../check/json/json.ts';
import { getText } from '../import/members.ts';
import { type DocumentedOperation, type OpenApiDocument, readOpenApi } from '../import/openapi/document.ts';
import { createExampleValue } from '../import/openapi/schema-values.ts';

/** `path` includes the prefix that the document gives to all paths. */
export type ApiOperation = {
  readonly method: string;
  readonly path: string;
  /** It has parameters that must be chosen: in the path, or required ones elsewhere. */
  readonly needsParameters: boolean;
  /** The first successful status that is documented. */
  readonly status: number | undefined;
  /** An example of the JSON body to send; undefined where none is documented. */
  readonly bodyExample: string | undefined;
};

/** `format` is such as `OpenAPI 3.0.3`. */
export type ApiDocument = {
  readonly format: string;
  readonly title: string;
  readonly operations: readonly ApiOperation[];
};

const maxOperations = 2000;

/** Undefined for a value that is not such a document. */
export function parseApiDocument(root: Json): ApiDocument | undefined {
  const document = readOpenApi(root);
  if (document === undefined) return undefined;
  return {
    format: `${getText(root, 'openapi') === '' ? 'Swagger' : 'OpenAPI'} ${document.version}`,
    title: document.title,
    operations: document.operations.slice(0, maxOperations).map((operation) => toOperation(operation, document)),
  };
}

function toOperation(operation: DocumentedOperation, { resolve }: OpenApiDocument): ApiOperation {
  const { method, path, parameters, responses, bodies } = operation;
  const success = responses.find(({ status }) => /^2\d\d$/.test(status));
  const body = bodies.find(({ type }) => type === 'application/json');
  const example = body && (body.example ?? createExampleValue(body.schema, resolve));
  return {
    method,
    path,
    needsParameters: path.includes('{') || parameters.some(({ isRequired }) => isRequired),
    status: success && Number(success.status),
    bodyExample: example === undefined ? undefined : JSON.stringify(example, undefined, 2),
  };
}

/** The operations that can be requested as they stand. */
export function listPlainReads({ operations }: ApiDocument): readonly ApiOperation[] {
  return operations.filter(({ method, needsParameters }) => method === 'GET' && !needsParameters);
}

/** The operation of a request; parameters of documented paths match any segment. */
export function findDocumentedOperation(
  { operations }: ApiDocument,
  method: string,
  path: string,
): ApiOperation | undefined {
  const [plain = ''] = path.split('?', 1);
  const segments = plain.split('/');
  const matches = (documented: string): boolean => {
    const parts = documented.split('/');
    return parts.length === segments.length && parts.every((part, i) => part.includes('{') || part === segments[i]);
  };
  const candidates = operations.filter((operation) => operation.method === method && matches(operation.path));
  return candidates.find((operation) => operation.path === plain) ?? candidates[0];
}

/** The operations by method, for people: `12 operations, 4 of them GET without parameters`. */
export function summarizeDocument(document: ApiDocument): string {
  const { length } = document.operations;
  return `${toStringForm(length)} ${length === 1 ? 'operation' : 'operations'}, ${listPlainReads(document).length} of them GET without required parameters`;
}
