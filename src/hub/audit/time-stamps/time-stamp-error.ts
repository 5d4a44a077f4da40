/** What is wrong with a time stamp, for people. */
export class TimeStampError extends Error {
  override readonly name = 'TimeStampError';
}
