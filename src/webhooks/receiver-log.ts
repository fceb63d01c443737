/** A structured logger; pino is one. Neither payloads nor headers nor addresses are ever passed to it. */
export interface ReceiverLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
