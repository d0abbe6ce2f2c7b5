// The rules page: nothing moves on it, and it needs no pass; the browser itself opens it at the clause.
import { theme } from "./draw.js";

theme();
