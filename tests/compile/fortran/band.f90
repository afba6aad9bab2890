module band_mod
  use, intrinsic :: iso_c_binding
  implicit none
  private :: band_length

  ! The params of the program, with their defaults.
  type, bind(c) :: band_params
    integer(c_int) :: M  ! must be given
    real(c_float) :: k  ! default 0.25
    real(c_double) :: dt  ! 0.5 * k unless it is given
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

  ! The same with packed arguments. `arrays` holds the addresses of the arrays in the order above,
  ! `parameters` those of the values of the params in the order of their structure. The address of
  ! a param that is not given is c_null_ptr. Steps are counted from first_step.
  ! The last pointer of arrays points to the results (not c_null_ptr), from which the run
  ! continues: those of the previous call, or zeros. steps_done counts the steps of this call.
  interface
    function band_run_packed(arrays, parameters, steps, first_step) result(error) &
        bind(c, name="band_run_packed")
      import
      type(c_ptr), intent(in) :: arrays(*)
      type(c_ptr), intent(in) :: parameters(*)
      integer(c_int64_t), intent(in), value :: steps
      integer(c_int64_t), intent(in), value :: first_step
      type(c_ptr) :: error
    end function band_run_packed
  end interface

  ! Boxes of the grid, for programs that distribute it over processes. Each process owns a box, and
  ! its arrays hold the box and a halo around it: band_halo points below and above in each
  ! dimension, clipped to the grid. band_box_memory() returns the points of an array, which is
  ! dense. Here, too, the dimensions of halos and boxes are in the order of the program: the last
  ! one is the first dimension of a Fortran array.
  ! In y and x the grid is periodic: the halo also extends beyond the grid, where it holds copies
  ! of the points at the opposite side. Coordinates continue across the edge.
  ! An array that changes has several buffers of this size, and is passed as an array of their
  ! addresses. Each step rotates the addresses. Buffers beyond the array's levels must start with
  ! the values of (1):
  !   U: band_U_slots pointers; (1) points to the newest of 2 level(s)
  !   mask: band_mask_slots pointers; (1) points to the newest of 1 level(s)
  ! After band_init_box(), or once all memory is initialised, band_run_box() runs up to
  ! band_box_steps steps, the first of which has index first_step. The points of the box then have
  ! the same bits as in a run of the whole grid. Before the next call, the caller must fill in the
  ! halo from the boxes that own its points:
  !   U(1): 4+4 x 4+4 points below+above
  !   U(2): 3+3 x 3+3 points below+above
  ! Coefficients keep their halo: u, low.
  ! Not evaluated, because they combine the points of all boxes: largest.
  ! Complete, and the same in all processes: profile.

  ! A box: its first and its last points, outermost dimension first.
  type, bind(c) :: band_box
    integer(c_int) :: low(2)
    integer(c_int) :: high(2)
  end type band_box

  ! The points that arrays have in memory.
  type, bind(c) :: band_memory
    type(band_box) :: U
    type(band_box) :: u_2  ! u in the program
    type(band_box) :: mask
    type(band_box) :: low
  end type band_memory

  ! The largest number of steps of a call, and the numbers of pointers of arrays that change.
  integer(c_int), parameter :: band_box_steps = 4
  integer(c_int), parameter :: band_U_slots = 3
  integer(c_int), parameter :: band_mask_slots = 1

  ! The width of the halo, below and above, outermost dimension first.
  integer(c_int), parameter :: band_halo(2, 2) = reshape([4, 4, 4, 4], [2, 2])

  ! Returns the grid. The result is c_null_ptr or an error message, as for all functions below.
  interface
    function band_grid(box, params) result(error) bind(c, name="band_grid")
      import
      type(band_box), intent(out) :: box
      type(band_params), intent(in) :: params
      type(c_ptr) :: error
    end function band_grid
  end interface

  ! Returns the points of the arrays.
  interface
    function band_box_memory(memory, box, params) result(error) bind(c, name="band_box_memory")
      import
      type(band_memory), intent(out) :: memory
      type(band_box), intent(in) :: box
      type(band_params), intent(in) :: params
      type(c_ptr) :: error
    end function band_box_memory
  end interface

  ! Writes the initial values to arrays of a box in host memory, including their halos.
  interface
    function band_init_box(U, u_2, mask, low, profile, box, params) result(error) &
        bind(c, name="band_init_box")
      import
      type(c_ptr), intent(in) :: U(band_U_slots)
      real(c_double), intent(out) :: u_2(*)
      type(c_ptr), intent(in) :: mask(band_mask_slots)
      integer(c_int16_t), intent(out) :: low(*)
      integer(c_int8_t), intent(out) :: profile(48)
      type(band_box), intent(in) :: box
      type(band_params), intent(in) :: params
      type(c_ptr) :: error
    end function band_init_box
  end interface

  ! Runs; rotates the pointers.
  interface
    function band_run_box(U, u_2, mask, low, profile, steps, first_step, box, params) result(error) &
        bind(c, name="band_run_box")
      import
      type(c_ptr), intent(inout) :: U(band_U_slots)
      real(c_double), intent(in) :: u_2(*)
      type(c_ptr), intent(inout) :: mask(band_mask_slots)
      integer(c_int16_t), intent(in) :: low(*)
      integer(c_int8_t), intent(in) :: profile(48)
      integer(c_int64_t), intent(in), value :: steps
      integer(c_int64_t), intent(in), value :: first_step
      type(band_box), intent(in) :: box
      type(band_params), intent(in) :: params
      type(c_ptr) :: error
    end function band_run_box
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
