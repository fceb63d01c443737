/** Something cannot be tested against this service: the test is skipped, with this as its reason. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}
