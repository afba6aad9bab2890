module band_mod
  use, intrinsic :: iso_c_binding
  implicit none
  private :: band_length

  ! The params of the program, with their defaults.
  type, bind(c) :: band_params
    integer(c_int) :: M  ! must be given
    real(c_float) :: k  ! default 0.25
    real(c_double) :: dt  ! 0.5 * k unless it is given
    integer(c_int64_t) :: Shift  ! must be given
  end type band_params

  ! The results of a run; a reduction has no value before its first evaluation.
  type, bind(c) :: band_results
    integer(c_int64_t) :: steps_done
    integer(c_int64_t) :: stopped  ! 1 if the stop condition held
    real(c_double) :: largest  ! of the last evaluation
    integer(c_int64_t) :: largest_evaluations  ! one after every 5 step(s)
    integer(c_int64_t) :: largest_first_nan  ! steps done when it was first NaN; 0: never
  end type band_results

  ! The defaults. A member that is derived from others starts unset (NaN; for an integer, its
  ! smallest value): entry points compute it from the others. A member without a default starts
  ! unset, and the caller must set it.
  interface
    function band_default_params() result(defaults) bind(c, name="band_default_params")
      import
      type(band_params) :: defaults
    end function band_default_params
  end interface

  ! Computes the derived members that are not set. Returns c_null_ptr or an error message.
  interface
    function band_derive_params(params) result(error) bind(c, name="band_derive_params")
      import
      type(band_params), intent(inout) :: params
      type(c_ptr) :: error
    end function band_derive_params
  end interface

  ! Arrays are dense. The order of indices is reversed: A[i,j] of the program is A(j,i) here.
  ! Dimensions:
  !   real(c_float) :: U(M, 48)
  !   real(c_float) :: U_1(M, 48), 1 step(s) back
  !   real(c_double) :: u_2(M, 48), read only, u in the program
  !   logical(c_bool) :: mask(M, 48)
  !   integer(c_int16_t) :: low(M, 48), read only, the bits of half-precision numbers (binary16)
  !   integer(c_int8_t) :: profile(48), read only, 8 unsigned bits: values from 128 on are negative
  !      here

  ! The dimensions as constants: integer(c_int8_t) :: profile(band_profile_shape(1))
  integer(c_int), parameter :: band_profile_shape(1) = [48]

  ! Writes the initial values to arrays in host memory; zeros where the program has none.
  interface
    function band_init(U, U_1, u_2, mask, low, profile, params) result(error) &
        bind(c, name="band_init")
      import
      real(c_float), intent(out) :: U(*)
      real(c_float), intent(out) :: U_1(*)
      real(c_double), intent(out) :: u_2(*)
      logical(c_bool), intent(out) :: mask(*)
      integer(c_int16_t), intent(out) :: low(*)
      integer(c_int8_t), intent(out) :: profile(48)
      type(band_params), intent(in) :: params
      type(c_ptr) :: error
    end function band_init
  end interface

  ! The result replaces the contents of the arrays. Returns c_null_ptr on success, or an error
  ! message that is valid until the next call of this thread. It is an error if two arrays overlap
  ! and either is written.
  ! Reductions start without values.
  interface
    function band_run(U, U_1, u_2, mask, low, profile, steps, params, results) result(error) &
        bind(c, name="band_run")
      import
      real(c_float), intent(inout) :: U(*)
      real(c_float), intent(inout) :: U_1(*)
      real(c_double), intent(in) :: u_2(*)
      logical(c_bool), intent(inout) :: mask(*)
      integer(c_int16_t), intent(in) :: low(*)
      integer(c_int8_t), intent(in) :: profile(48)
      integer(c_int64_t), intent(in), value :: steps
      type(band_params), intent(in) :: params
      type(band_results), intent(out) :: results
      type(c_ptr) :: error
    end function band_run
  end interface

  ! The same on device pointers. Asynchronous: the work is queued on the stream.
  ! The call waits for the stream whenever it evaluates the stop condition, and at its end if it
  ! returns results.
  interface
    function band_run_device(U, U_1, u_2, mask, low, profile, steps, params, results, stream) &
        result(error) bind(c, name="band_run_device")
      import
      type(c_ptr), intent(in), value :: U
      type(c_ptr), intent(in), value :: U_1
      type(c_ptr), intent(in), value :: u_2
      type(c_ptr), intent(in), value :: mask
      type(c_ptr), intent(in), value :: low
      type(c_ptr), intent(in), value :: profile
      integer(c_int64_t), intent(in), value :: steps
      type(band_params), intent(in) :: params
      type(band_results), intent(out) :: results
      type(c_ptr), intent(in), value :: stream
      type(c_ptr) :: error
    end function band_run_device
  end interface

  ! The kernels work on arrays with padded rows; band_run_device copies dense arrays to such arrays
  ! and back. This function takes arrays that are padded already:
  !   real(c_float) :: U(iand(M + 7, -8), 48)
  !   real(c_float) :: U_1(iand(M + 7, -8), 48)
  !   real(c_double) :: u_2(iand(M + 3, -4), 48), u in the program
  !   logical(c_bool) :: mask(iand(M + 31, -32), 48)
  !   integer(c_int16_t) :: low(iand(M + 15, -16), 48), the bits of half-precision numbers
  !      (binary16)
  !   integer(c_int8_t) :: profile(48), 8 unsigned bits: values from 128 on are negative here
  ! Arrays start at multiples of 32 bytes. Padding is overwritten.
  interface
    function band_run_padded(U, U_1, u_2, mask, low, profile, steps, params, results, stream) &
        result(error) bind(c, name="band_run_padded")
      import
      type(c_ptr), intent(in), value :: U
      type(c_ptr), intent(in), value :: U_1
      type(c_ptr), intent(in), value :: u_2
      type(c_ptr), intent(in), value :: mask
      type(c_ptr), intent(in), value :: low
      type(c_ptr), intent(in), value :: profile
      integer(c_int64_t), intent(in), value :: steps
      type(band_params), intent(in) :: params
      type(band_results), intent(out) :: results
      type(c_ptr), intent(in), value :: stream
      type(c_ptr) :: error
    end function band_run_padded
  end interface

  interface
    function band_length(text) result(length) bind(c, name="strlen")
      import
      type(c_ptr), intent(in), value :: text
      integer(c_size_t) :: length
    end function band_length
  end interface

contains

  ! The text of an error message; empty for c_null_ptr.
  function band_message(error) result(text)
    type(c_ptr), intent(in) :: error
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    text = ''
    if (.not. c_associated(error)) return
    call c_f_pointer(error, letters, [band_length(error)])
    do i = 1, size(letters)
      text = text // letters(i)
    end do
  end function band_message
end module band_mod
