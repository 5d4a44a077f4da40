/** The OpenAPI document that `vp coverage` and `vp import openapi --sync` compare scenarios with, and the scenarios. */
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type OpenApiDocument, parseDocumentText, readOpenApi } from '../../import/openapi/document.ts';
import type { UsableFile } from '../scenarios/read-scenarios.ts';
import { parseFile, requireUsableFiles } from '../scenarios/read-scenarios.ts';
import { readScenarioFiles } from '../scenarios/scenario-files.ts';
import { readImportSource } from './read-source.ts';

/** Throws IMPORT_SOURCE_*, IMPORT_NOTHING. */
export async function readApiDocument(
  path: string,
  environment: Pick<Environment, 'cwd' | 'streams'>,
): Promise<OpenApiDocument> {
  const [file] = await readImportSource([path], { format: 'openapi', extension: /\.(?:json|ya?ml)$/i }, environment);
  const document = file && readOpenApi(await parseDocumentText(file));
  if (!document)
    throw vpError('IMPORT_NOTHING', {
      path,
      reason: 'it is not an OpenAPI document of version 2 or 3, in JSON or YAML',
    });
  return document;
}

/** Throws where a file cannot be used: coverage would be wrong without it. */
export async function readAllScenarios(
  folder: string,
  json: boolean,
  environment: Environment,
): Promise<readonly UsableFile[]> {
  const files = readScenarioFiles([folder], environment.cwd).map((file) => parseFile(file, { variables: 'any' }));
  return requireUsableFiles(files, json, environment);
}
