import { ApiError, type Problem } from './api-error.ts';

/** Rows of a page when the request does not say. */
export const defaultPerPage = 20;
/** Most rows of a page; a larger wish gets this many. */
export const mostPerPage = 100;

/** Which part of a list; both count from 1. */
export type Page = { readonly page: number; readonly perPage: number };

// Nine digits keep the offset an exact integer.
function wholeFromOne(field: string, text: string | undefined, otherwise: number, problems: Problem[]): number {
  if (text === undefined) return otherwise;
  if (/^0*[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  problems.push({ field, message: 'must be a whole number from 1 to 999999999' });
  return otherwise;
}

/** The page a request asks for; throws `invalid` for anything but whole numbers from 1. */
export function pageOf(query: { page: string | undefined; perPage: string | undefined }): Page {
  const problems: Problem[] = [];
  const page = wholeFromOne('page', query.page, 1, problems);
  const perPage = Math.min(wholeFromOne('perPage', query.perPage, defaultPerPage, problems), mostPerPage);
  if (problems.length > 0) throw new ApiError('invalid', 'the query is not valid', problems);
  return { page, perPage };
}

/** The body of every list: the rows of one page, and `count` of all that match. */
export function listBody<T>(data: readonly T[], count: number, { page, perPage }: Page) {
  return { data, count, currentPage: page, perPage, totalPages: Math.ceil(count / perPage) };
}
