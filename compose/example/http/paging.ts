import { ApiError, type Problem } from './api-error.ts';

const defaultPerPage = 20;
/** Larger values count as this one. */
const maxPerPage = 100;

/** Both count from 1. */
export type PageRequest = { readonly page: number; readonly perPage: number };

// Nine digits keep the offset an exact integer.
function parsePositiveInteger(field: string, text: string | undefined, fallback: number, problems: Problem[]): number {
  if (text === undefined) return fallback;
  if (/^0*[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  problems.push({ field, message: 'must be a whole number from 1 to 999999999' });
  return fallback;
}

/** Throws `invalid` for anything but whole numbers from 1. */
export function parsePage(query: { page: string | undefined; perPage: string | undefined }): PageRequest {
  const problems: Problem[] = [];
  const page = parsePositiveInteger('page', query.page, 1, problems);
  const perPage = Math.min(parsePositiveInteger('perPage', query.perPage, defaultPerPage, problems), maxPerPage);
  if (problems.length > 0) throw new ApiError('invalid', 'the query is not valid', problems);
  return { page, perPage };
}

/** The body of every list: the rows of one page, and `count` of all that match. */
export function listBody<T>(data: readonly T[], count: number, { page, perPage }: PageRequest) {
  return { data, count, currentPage: page, perPage, totalPages: Math.ceil(count / perPage) };
}
