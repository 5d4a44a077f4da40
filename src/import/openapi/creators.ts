/** Finds the operation that creates what another one names in its path: `POST /orders` for `GET /orders/{order_id}`. */

import type { ImportedCapture } from '../imported.ts';
import { getMember, toObject } from '../members.ts';
import { toPlaceholderName } from '../placeholder-names.ts';
import { type DocumentedOperation, findJsonSchema, findMainResponse, type OpenApiDocument } from './document.ts';
import { mergeSchema } from './schema-values.ts';

/** `parameter` of the path is captured from the response of `operation`. */
export type Creator = {
  readonly operation: DocumentedOperation;
  readonly parameter: string;
  readonly capture: ImportedCapture;
  readonly removal: DocumentedOperation | undefined;
};

export function createCreatorFinder(
  document: OpenApiDocument,
): (operation: DocumentedOperation) => Creator | undefined {
  const byRequest = new Map(document.operations.map((each) => [`${each.method} ${each.path}`, each]));
  const links = collectLinks(document);
  return (operation) => {
    const collectionEnd = operation.path.lastIndexOf('/{');
    const parameter = /^\/\{([^}]+)\}/.exec(operation.path.slice(collectionEnd))?.[1];
    if (collectionEnd < 1 || parameter === undefined) return undefined;
    const hasExample = operation.parameters.some(
      (each) => each.location === 'path' && each.name === parameter && each.example !== undefined,
    );
    const linked = links.get(`${operation.id} ${parameter}`);
    const collection = operation.path.slice(0, collectionEnd);
    const creator = linked?.operation ?? byRequest.get(`POST ${collection}`);
    if (!creator || creator === operation || (hasExample && !linked)) return undefined;
    const source = linked?.source ?? findIdSource(creator, collection, parameter, document);
    const removal = byRequest.get(`DELETE ${collection}/{${parameter}}`);
    const name = toPlaceholderName(parameter.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase());
    return source === undefined ? undefined : { operation: creator, parameter, capture: { name, source }, removal };
  };
}

/** Links of documents: `operationId parameter` → where its value comes from. */
function collectLinks({ operations }: OpenApiDocument) {
  const links = new Map<string, { readonly operation: DocumentedOperation; readonly source: string }>();
  for (const operation of operations)
    for (const { links: own } of operation.responses)
      for (const { operationId, parameters } of own)
        for (const [name, expression] of parameters) {
          const source = toCaptureSource(expression);
          if (source !== undefined) links.set(`${operationId} ${name.replace(/^path\./, '')}`, { operation, source });
        }
  return links;
}

/** `$response.body#/id` → `body.id`. */
function toCaptureSource(expression: string): string | undefined {
  const header = /^\$response\.header\.([\w-]+)$/.exec(expression)?.[1];
  if (header !== undefined) return `header ${header}`;
  const steps = /^\$response\.body#((?:\/\w+)+)$/.exec(expression)?.[1]?.slice(1).split('/');
  if (!steps) return undefined;
  return `body${steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')}`;
}

/** The member of the created object that has the parameter's value: of the same name, its last word, or `id`. */
function findIdSource(
  creator: DocumentedOperation,
  collection: string,
  parameter: string,
  { resolve }: OpenApiDocument,
): string | undefined {
  const response = findMainResponse(creator);
  const schema = response?.status.startsWith('2') ? findJsonSchema(response) : undefined;
  const properties = toObject(schema && mergeSchema(schema, resolve).properties);
  const normalize = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  const resource = normalize(collection.split('/').findLast((segment) => !segment.includes('{')) ?? '').replace(
    /s$/,
    '',
  );
  const parameterName = normalize(parameter);
  const withoutResource =
    resource !== '' && parameterName.startsWith(resource) ? parameterName.slice(resource.length) : parameterName;
  const names = Object.keys(properties).filter(
    (name) => /^[A-Za-z_]\w*$/.test(name) && !isContainer(getMember(properties, name), resolve),
  );
  const name = [parameterName, withoutResource, 'id'].flatMap(
    (each) => names.find((candidate) => each !== '' && normalize(candidate) === each) ?? [],
  )[0];
  return name === undefined ? undefined : `body.${name}`;
}

function isContainer(
  reference: Parameters<OpenApiDocument['resolve']>[0],
  resolve: OpenApiDocument['resolve'],
): boolean {
  const { type } = resolve(reference);
  return type === 'object' || type === 'array';
}
