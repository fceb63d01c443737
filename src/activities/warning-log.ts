/** For what an operator should put right. */
export interface WarningLog {
  warn(fields: object, message: string): void;
}
