/** `schedules.yaml` beside scenarios: what runs by itself, as text that is reviewed like them. */
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { parse as parseYaml } from 'yaml';
import { ImportSchedulesRequest } from '../../contract/schedules-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { pathExists, resolveScenarioFolder } from './scenario-files.ts';

const scheduleFileName = 'schedules.yaml';

/** The file that `path` is or that its folder has. */
function findScheduleFile(path: string, cwd: string): string | undefined {
  if (basename(path) === scheduleFileName) return path;
  return [join(resolveScenarioFolder(path, cwd), scheduleFileName), join(path, scheduleFileName)].find((file) =>
    pathExists(file, cwd),
  );
}

/** Which of the arguments are files of schedules. */
export function isScheduleFile(path: string): boolean {
  return basename(path) === scheduleFileName;
}

/** The schedules of the only file that the arguments name or contain; undefined without one. Throws SCHEDULE_FILE_INVALID. */
export function readScheduleFile(paths: readonly string[], cwd: string): ImportSchedulesRequest | undefined {
  const files = [...new Set(paths.flatMap((path) => findScheduleFile(path, cwd) ?? []))];
  const [file, other] = files;
  if (file === undefined) return undefined;
  const refuse = (problem: string): never => {
    throw vpError('SCHEDULE_FILE_INVALID', { file, problem });
  };
  if (other !== undefined) refuse(`${other} has schedules too; an instance has those of one file`);
  const document = parseText(file, cwd, refuse);
  const entries = isObject(document) ? document.schedules : undefined;
  if (!isObject(entries)) return refuse('must have a member `schedules` with an entry for each id');
  const request = {
    schedules: Object.entries(entries).map(([id, entry]) => ({
      schedule_id: id,
      ...(isObject(entry) ? entry : refuse(`${id} must be a map such as {every: 15m}`)),
    })),
  };
  if (Value.Check(ImportSchedulesRequest, request)) return request;
  const problem = Value.Errors(ImportSchedulesRequest, request).First();
  const [, index = '0', member = ''] = /^\/schedules\/(\d+)(?:\/(.*))?$/.exec(problem?.path ?? '') ?? [];
  return refuse(`${request.schedules[Number(index)]?.schedule_id ?? 'schedules'}.${member}: ${problem?.message}`);
}

function parseText(file: string, cwd: string, refuse: (problem: string) => never): unknown {
  try {
    return parseYaml(readFileSync(resolve(cwd, file), 'utf8'), { maxAliasCount: 0 });
  } catch (error) {
    return refuse(error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'cannot be read');
  }
}
